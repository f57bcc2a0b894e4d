import type { Engine, Wake } from "@paraph/core";
import type { Pool } from "pg";
import {
  createPlanSweep,
  forgetLeases,
  listOrphanedCalls,
  sweepDueCalls,
  sweepMisdatedCalls,
  watchLeases,
} from "../postgres/index.ts";

interface SweeperOptions {
  /** Returns the number of due calls that the sweeper may take now. Other workers take the rest. */
  readonly room: () => number;
  readonly leaseGraceMs?: number;
}

/**
 * [P14] Starts the sweeper, which repeats messages that the engine lost or never received. It waits one second between
 * passes. Within a pass, it continues while more messages are due.
 */
export function startSweeper(
  sweeper: Pool,
  engine: Engine,
  problem: (code: string) => void,
  { room, leaseGraceMs }: SweeperOptions,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();
  const full = 500;
  const sent = new Map<string, number>();

  const send = (wakes: readonly Wake[]) =>
    runInGroups(wakes, 32, (wake) => engine.send(wake).catch(() => problem("engine-unavailable")));
  /**
   * Returns the messages that the sweeper did not send in the last 10 seconds. Without this filter, every sweep would
   * repeat the message of an orphaned call until the engine runs the call.
   */
  const unsent = (wakes: readonly Wake[]) => {
    const now = performance.now();
    for (const [key, at] of sent) if (now - at > 10_000) sent.delete(key);
    const fresh = wakes.filter(({ tenant, call, epoch }) => !sent.has(`${tenant}/${call}/${epoch}`));
    for (const { tenant, call, epoch } of fresh) sent.set(`${tenant}/${call}/${epoch}`, now);
    return fresh;
  };

  const minutely = createInterval(60_000, async () => {
    await send(await sweepMisdatedCalls(sweeper, full));
    await forgetLeases(sweeper);
  });
  const plans = createPlanSweep(sweeper);
  const sweepPlans = createInterval(3_000, () => plans.run());

  // The lease watch runs separately, because a sweep may wait for the engine. To detect a dead process in time, the
  // watch must check at least every second.
  const leases = watchLeases(sweeper, leaseGraceMs === undefined ? {} : { graceMs: leaseGraceMs });
  let looking: Promise<void> = Promise.resolve();
  let lookTimer: NodeJS.Timeout | undefined;
  const look = () => {
    looking = leases
      .check()
      .catch(() => problem("lease-watch-failed"))
      .then(() => {
        if (!stopped) lookTimer = setTimeout(look, lookEveryMs);
      });
  };
  const lookEveryMs = Math.min(1_000, (leaseGraceMs ?? 5_000) / 5);

  const once = async () => {
    try {
      await minutely();
      await sweepPlans();
      await send(unsent(await listOrphanedCalls(sweeper, full)));
      for (let limit = full, found = full; found === limit && !stopped; ) {
        limit = Math.min(full, room());
        if (limit === 0) break;
        const due = await sweepDueCalls(sweeper, limit);
        found = due.length;
        await send(due);
      }
    } catch {
      problem("sweep-failed");
    }
    if (!stopped) timer = setTimeout(next, 1_000);
  };
  const next = () => {
    pass = once();
  };
  next();
  look();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(lookTimer);
      await Promise.all([pass, looking]);
    },
  };
}

/** Creates a function that runs the body at most once per interval. */
function createInterval(everyMs: number, body: () => Promise<void>): () => Promise<void> {
  let ranAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - ranAt < everyMs) return;
    ranAt = performance.now();
    await body();
  };
}

async function runInGroups<T>(
  items: readonly T[],
  size: number,
  body: (item: T) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < items.length; start += size)
    await Promise.all(items.slice(start, start + size).map(body));
}
