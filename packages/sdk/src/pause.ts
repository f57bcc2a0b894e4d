/** Resolves after `ms`, or rejects immediately with the signal's reason when the signal aborts. */
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

/**
 * Returns the time to wait before a retry. It is 250 ms, doubled for each earlier attempt up to 5 s, with a jitter of
 * 25 %. The jitter prevents clients from retrying in step.
 */
export function computeBackoffMs(attempt: number): number {
  return Math.min(250 * 2 ** attempt, 5_000) * (0.75 + Math.random() / 2);
}
