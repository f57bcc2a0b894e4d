// This module runs in the child process that `startChild` starts.

export function sendToParent(message: {
  readonly kind: string;
  readonly [more: string]: unknown;
}): Promise<void> {
  return new Promise((resolve) => (process.connected ? process.send?.(message, () => resolve()) : resolve()));
}

/** Runs `stop` when the parent process disconnects or exits. */
export function stopOnDisconnect(stop: () => Promise<unknown>): void {
  const end = () => void stop().finally(() => process.exit(0));
  process.once("disconnect", end);
  // Ctrl-C reaches the whole process group, and the parent decides how to handle it.
  process.on("SIGINT", () => {});
}
