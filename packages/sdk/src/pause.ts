/** Resolves after `ms`; rejects at once with the signal's reason if nobody waits any more. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const give = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", give);
      resolve();
    }, ms);
    signal?.addEventListener("abort", give, { once: true });
  });
}

/** 250 ms, then twice as long each time, up to 5 s; a quarter more or less, so that many do not come back at once. */
export function computeBackoffMs(attempt: number): number {
  return Math.min(250 * 2 ** attempt, 5_000) * (0.75 + Math.random() / 2);
}
