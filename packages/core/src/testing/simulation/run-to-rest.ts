import type { Simulation } from "./simulation.ts";

/** After this many rounds without rest, some call is in an endless loop. */
const maxRounds = 3_000;

/**
 * Runs the simulation without faults: no process dies, messages arrive when they are due, and time passes. Returns true
 * once nothing is left to happen, and false if that does not occur.
 */
export async function runToRest(
  sim: Simulation,
  { sweeper, engine }: { sweeper: boolean; engine: boolean },
): Promise<boolean> {
  for (let round = 0; round < maxRounds; round += 1) {
    await releaseAll(sim);
    if (!engine) sim.messages = [];
    if (sweeper) sim.sweep();
    const now = sim.clock.now();
    const due = sim.messages.filter(({ at }) => (at ?? now) <= now);
    sim.messages = sim.messages.filter(({ at }) => (at ?? now) > now);
    for (const wake of due) sim.deliver(wake);
    await releaseAll(sim);
    if (due.length > 0 || sim.messages.some(({ at }) => (at ?? now) <= now)) continue;
    const next = findNextMoment(sim, sweeper);
    if (next === undefined) return true;
    await sim.advanceTime(Math.max(0, next - now));
  }
  return false;
}

async function releaseAll(sim: Simulation): Promise<void> {
  await sim.settle();
  while (sim.pendingCount > 0) await sim.step(0);
}

/** Returns the time of the next event: a timer, a message, or the sweeper finding a call that can move. */
function findNextMoment(sim: Simulation, sweeper: boolean): number | undefined {
  const moments = [
    sim.clock.nextTimerAt(),
    ...sim.messages.map(({ at }) => at),
    ...(sweeper
      ? sim.store
          .rows()
          .filter((row) => !isBlockedForever(sim, row.call))
          .map(({ nextAt }) => nextAt)
      : []),
  ].filter((at) => at !== undefined);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/**
 * [P7] Whether the call waits for a lock that is never released. An unknown outcome keeps its locks until it is
 * resolved, and at this point no person resolves it. The call may also wait behind another such call.
 */
export function isBlockedForever(sim: Simulation, call: string, seen: readonly string[] = []): boolean {
  const row = sim.store.rows().find((candidate) => candidate.call === call);
  // A composite waits for its steps, and one of them may never get its lock.
  if (row?.state === "composing")
    return sim.store
      .rows()
      .some((child) => child.parent?.call === call && isBlockedForever(sim, child.call, seen));
  if (row?.state !== "queued") return false;
  const locks = sim.store.getLocks(row.tenant);
  const mine = locks.listQueued().find((waiter) => waiter.call === call)?.position ?? 0;
  const holders = locks.listHeld().filter(({ key }) => row.lockKeys.includes(key));
  const earlier = locks
    .listQueued()
    .filter(({ key, position }) => row.lockKeys.includes(key) && position < mine)
    .map((waiter) => waiter.call);
  const keeps = (other: string) =>
    sim.store
      .rows()
      .some(
        ({ call: id, outcome, resolution }) => id === other && outcome?.kind === "unknown" && !resolution,
      );
  return (
    holders.some((holder) => keeps(holder.call)) ||
    earlier.some((other) => !seen.includes(other) && isBlockedForever(sim, other, [...seen, call]))
  );
}
