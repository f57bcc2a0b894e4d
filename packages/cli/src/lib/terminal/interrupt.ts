import { exitCode } from "../exit-code.ts";

/** The handling of Ctrl-C and of the signals that a terminal or a supervisor sends at its end. */
export interface Interrupt {
  readonly signal: AbortSignal;
  interrupt(): void;
  /** Lets a command stop its parts in order. It may take its time until a second Ctrl-C. */
  takeTime(): void;
}

/** npm sends a terminal's Ctrl-C to its child a second time. Within this time, both count as one. */
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
