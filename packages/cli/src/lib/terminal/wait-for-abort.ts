/** Resolves when the signal aborts, and keeps the process alive until then. */
export function waitForAbort(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    // The timer keeps this process alive, because neither the servers nor a pending promise does.
    const awake = setInterval(() => {}, 1 << 30);
    const end = () => {
      clearInterval(awake);
      done(undefined);
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
