import type { ExecutionContext } from "@paraph/core";

/** Creates a reporter that forwards a program's output at most four times a second. */
export function createProgressReporter(world: Pick<ExecutionContext, "progress">): {
  tell: (chunk: string) => void;
  end: () => void;
} {
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  const pass = () => {
    timer = undefined;
    world.progress({ output: waiting.slice(-maxReportLength) });
    waiting = "";
  };
  return {
    tell: (chunk) => {
      waiting = (waiting + chunk).slice(-maxReportLength);
      timer ??= setTimeout(pass, reportIntervalMs);
    },
    end: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      pass();
    },
  };
}

const reportIntervalMs = 250;
const maxReportLength = 16 * 1024;
