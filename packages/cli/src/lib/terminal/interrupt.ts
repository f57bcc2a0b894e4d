import { exitCode } from "../exit-code.ts";

/** The handler for Ctrl-C, and for the signals that a closing terminal or a supervisor sends to stop the process. */
export interface Interrupt {
  readonly signal: AbortSignal;
  interrupt(): void;
  /**
   * Lets a command take as long as it needs to stop its parts in order. A second Ctrl-C ends the process immediately.
   */
  takeTime(): void;
}

/**
 * The time within which two interrupts count as one. A repetition is expected, because npm forwards Ctrl-C to a child
 * that has already received it from the terminal.
 */
const repeatWindowMs = 1_000;
const graceMs = 500;

export function listenForInterrupts(): Interrupt {
  const controller = new AbortController();
  let first = 0;
  let takesTime = false;
  const leave = () => process.exit(exitCode.interrupted);
  const interrupt = () => {
    if (controller.signal.aborted) {
      if (performance.now() - first > repeatWindowMs) leave();
      return;
    }
    first = performance.now();
    controller.abort();
    if (!takesTime) setTimeout(leave, graceMs).unref();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    takeTime: () => {
      takesTime = true;
    },
  };
}
