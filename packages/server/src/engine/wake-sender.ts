import type { Engine, Wake } from "@paraph/core";

/** Long enough for an engine that works, too short for a caller to notice one that does not. */
const maxSendWaitMs = 50;
const maxPending = 1_000;

/**
 * Sends messages, and waits for the engine for a moment at most. What is committed will happen: the sweeper repeats a message
 * that does not get through. If too many are on their way, more are left to the sweeper at once.
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
