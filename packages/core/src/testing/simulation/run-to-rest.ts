import type { Simulation } from "./simulation.ts";

/** The maximum number of rounds. If the simulation has not come to rest by then, some call is in an endless loop. */
const maxRounds = 3_000;

/**
 * Runs the simulation without faults: no process dies, messages arrive when they are due, and time passes. Returns true
 * once nothing is left to happen, or false after `maxRounds` rounds.
 */
export async function runToRest(
  simulation: Simulation,
  { sweeper, engine }: { sweeper: boolean; engine: boolean },
): Promise<boolean> {
  for (let round = 0; round < maxRounds; round += 1) {
    await releaseAll(simulation);
    if (!engine) simulation.messages = [];
    if (sweeper) simulation.sweep();
    const now = simulation.clock.now();
    const due = simulation.messages.filter(({ at }) => (at ?? now) <= now);
    simulation.messages = simulation.messages.filter(({ at }) => (at ?? now) > now);
    for (const wake of due) simulation.deliver(wake);
    await releaseAll(simulation);
    if (due.length > 0 || simulation.messages.some(({ at }) => (at ?? now) <= now)) continue;
    const next = findNextMoment(simulation, sweeper);
    if (next === undefined) return true;
    await simulation.advanceTime(Math.max(0, next - now));
  }
  return false;
}

async function releaseAll(simulation: Simulation): Promise<void> {
  await simulation.settle();
  while (simulation.pendingCount > 0) await simulation.step(0);
}

/** Returns the time of the next event: a timer, a message, or the sweeper finding a call that can move. */
function findNextMoment(simulation: Simulation, sweeper: boolean): number | undefined {
  const moments = [
    simulation.clock.nextTimerAt(),
    ...simulation.messages.map(({ at }) => at),
    ...(sweeper
      ? simulation.store
          .rows()
          .filter((row) => !isBlockedForever(simulation, row.call))
          .map(({ nextAt }) => nextAt)
      : []),
  ].filter((at) => at !== undefined);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/**
 * [P7] Returns whether the call waits for a lock that is never released. A call with an unknown outcome keeps its locks
 * until a person resolves it, and at this point no person does. The call may also wait behind another blocked call.
 */
export function isBlockedForever(
  simulation: Simulation,
  call: string,
  seen: readonly string[] = [],
): boolean {
  const row = simulation.store.rows().find((candidate) => candidate.call === call);
  // A composite waits for its steps, and one of them may never get its lock.
  if (row?.state === "composing")
    return simulation.store
      .rows()
      .some((child) => child.parent?.call === call && isBlockedForever(simulation, child.call, seen));
  if (row?.state !== "queued") return false;
  const locks = simulation.store.getLocks(row.tenant);
  const mine = locks.listQueued().find((waiter) => waiter.call === call)?.position ?? 0;
  const holders = locks.listHeld().filter(({ key }) => row.lockKeys.includes(key));
  const earlier = locks
    .listQueued()
    .filter(({ key, position }) => row.lockKeys.includes(key) && position < mine)
    .map((waiter) => waiter.call);
  const keeps = (other: string) =>
    simulation.store
      .rows()
      .some(
        ({ call: id, outcome, resolution }) => id === other && outcome?.kind === "unknown" && !resolution,
      );
  return (
    holders.some((holder) => keeps(holder.call)) ||
    earlier.some((other) => !seen.includes(other) && isBlockedForever(simulation, other, [...seen, call]))
  );
}
