import type { Engine, Wake } from "@paraph/core";

/**
 * The maximum wait for the engine. It is long enough for a healthy engine, and too short for a caller to notice that
 * the engine is unavailable.
 */
const maxSendWaitMs = 50;
const maxPending = 1_000;

/**
 * Creates a function that sends messages and waits at most 50 ms for the engine. The sweeper repeats a message that
 * does not arrive, so committed work is never lost. If too many messages are pending, the function leaves further
 * messages to the sweeper immediately.
 */
export function createWakeSender(
  engine: Engine,
  problem: (wake: Wake) => void,
): (wakes: readonly Wake[]) => Promise<void> {
  let pending = 0;
  const one = async (wake: Wake) => {
    if (pending >= maxPending) return problem(wake);
    pending += 1;
    await engine.send(wake).catch(() => problem(wake));
    pending -= 1;
  };
  return async (wakes) => {
    if (wakes.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxSendWaitMs);
    });
    await Promise.race([Promise.all(wakes.map(one)), moment]);
    clearTimeout(timer);
  };
}
