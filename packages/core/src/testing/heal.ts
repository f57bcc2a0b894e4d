import type { Simulation } from "./simulation.ts";

/** More rounds than this of everything running, and some call is going in circles. */
const enough = 3_000;

/**
 * The storm is over: nobody dies any more, messages arrive when they are due, time passes. Ends when nothing
 * is left to happen; returns false when that never comes.
 */
export async function heal(
  sim: Simulation,
  { sweeper, engine }: { sweeper: boolean; engine: boolean },
): Promise<boolean> {
  for (let round = 0; round < enough; round += 1) {
    await letGo(sim);
    if (!engine) sim.bag = [];
    if (sweeper) sim.sweep();
    const now = sim.clock.now();
    const due = sim.bag.filter(({ at }) => (at ?? now) <= now);
    sim.bag = sim.bag.filter(({ at }) => (at ?? now) > now);
    for (const wake of due) sim.deliver(wake);
    await letGo(sim);
    if (due.length > 0 || sim.bag.some(({ at }) => (at ?? now) <= now)) continue;
    const next = nextMoment(sim, sweeper);
    if (next === undefined) return true;
    await sim.pass(Math.max(0, next - now));
  }
  return false;
}

async function letGo(sim: Simulation): Promise<void> {
  await sim.settle();
  while (sim.waiting > 0) await sim.step(0);
}

/** When something happens next by itself: a timer, a message, or the sweeper finding a call that can move. */
function nextMoment(sim: Simulation, sweeper: boolean): number | undefined {
  const moments = [
    sim.clock.next(),
    ...sim.bag.map(({ at }) => at),
    ...(sweeper
      ? sim.store
          .rows()
          .filter((row) => !isStuck(sim, row.call))
          .map(({ nextAt }) => nextAt)
      : []),
  ].filter((at) => at !== undefined);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/**
 * [P7] An unknown outcome keeps its locks until somebody has resolved it, and nobody does any more: who waits for
 * such a lock, or behind one who does, waits for ever.
 */
export function isStuck(sim: Simulation, call: string, seen: readonly string[] = []): boolean {
  const row = sim.store.rows().find((candidate) => candidate.call === call);
  // A composite waits for its steps, and one of them may never come to its turn.
  if (row?.state === "composing")
    return sim.store.rows().some((child) => child.parent?.call === call && isStuck(sim, child.call, seen));
  if (row?.state !== "queued") return false;
  const locks = sim.store.locksOf(row.tenant);
  const mine = locks.queued().find((waiter) => waiter.call === call)?.position ?? 0;
  const holders = locks.held().filter(({ key }) => row.lockKeys.includes(key));
  const earlier = locks
    .queued()
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
    earlier.some((other) => !seen.includes(other) && isStuck(sim, other, [...seen, call]))
  );
}
