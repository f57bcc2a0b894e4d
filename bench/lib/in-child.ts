// The other end of `startChild`.

/** Says something to the process that started us. */
export function sendToParent(message: {
  readonly kind: string;
  readonly [more: string]: unknown;
}): Promise<void> {
  return new Promise((resolve) => (process.connected ? process.send?.(message, () => resolve()) : resolve()));
}

/** Runs once the process that started us lets go of us, or is gone. */
export function stopOnDisconnect(stop: () => Promise<unknown>): void {
  const end = () => void stop().finally(() => process.exit(0));
  process.once("disconnect", end);
  // Ctrl-C reaches the whole group: whoever started us decides what that means.
  process.on("SIGINT", () => {});
}
