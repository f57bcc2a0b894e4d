import type { ExecutionContext } from "@paraph/core";

/** Passes on what a program puts out, a few times a second at most. */
export function telling(world: Pick<ExecutionContext, "progress">): {
  tell: (chunk: string) => void;
  end: () => void;
} {
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  const pass = () => {
    timer = undefined;
    world.progress({ output: waiting.slice(-mostTold) });
    waiting = "";
  };
  return {
    tell: (chunk) => {
      waiting = (waiting + chunk).slice(-mostTold);
      timer ??= setTimeout(pass, everyMs);
    },
    end: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      pass();
    },
  };
}

const everyMs = 250;
const mostTold = 16 * 1024;
