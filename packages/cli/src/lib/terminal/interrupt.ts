import { exitCode } from "../exit-code.ts";

/** Ctrl-C, and what a terminal or a supervisor sends when it goes away. */
export interface Interrupt {
  readonly signal: AbortSignal;
  interrupt(): void;
  /** For a command that has things to stop in order: it may take its time, until a second Ctrl-C. */
  takeTime(): void;
}

/** npm repeats a terminal's Ctrl-C to its child, which has had it already: so soon, it is the same one. */
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
