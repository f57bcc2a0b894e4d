import { spreadOf } from "../lib/stats.ts";
import { waitingIn } from "../lib/waiting.ts";
import type { Cluster } from "./cluster.ts";
import { figureOf, type Waiting } from "./result.ts";
import { type Bench, takeTurns } from "./rounds.ts";
import { askingTarget } from "./variants.ts";

/**
 * The governed write while approvals wait. Two clusters stand side by side, one where none wait and one where they
 * do, and take turns: a step measured minutes after the other would compare the machine with itself.
 */
export async function whileWaiting(
  bench: Bench,
  none: Cluster,
  some: Cluster,
  approvals: number,
  endBy: number,
): Promise<Waiting> {
  const [, , many] = bench.plan.connections;
  const before = await waitingIn(some);
  bench.progress.say(`asking for ${approvals - before.rounds} approvals`);
  const asked = await bench.load.run({
    target: askingTarget(some),
    connections: 32,
    until: { calls: approvals - before.rounds, withinMs: 200_000 },
  });
  if (asked.errors > 0)
    bench.errors.push(`asking: ${asked.errors} of ${asked.answered}, first: ${asked.firstError}`);
  const found = await waitingIn(some);
  if (Object.values(found).some((count) => count !== approvals)) {
    bench.errors.push(`${approvals} approvals should be waiting; found ${JSON.stringify(found)}`);
  }
  const turns = [
    { name: "none waiting", variant: "write", cluster: none },
    { name: `${approvals.toLocaleString("en")} waiting`, variant: "write", cluster: some },
  ] as const;
  const rounds = await takeTurns(bench, turns, [1, many], endBy);
  const [withNone, withSome] = turns.map(({ name }) => ({
    single: rounds(name, 1),
    many: rounds(name, many),
  }));
  if (!withNone || !withSome) throw new Error("both took turns");
  const figures = ({ single, many }: typeof withNone) => ({ single: figureOf(single), many: figureOf(many) });
  const ratios = withSome.many.map(
    (slice, round) => slice.callsPerSecond / (withNone.many[round]?.callsPerSecond ?? Number.NaN),
  );
  return {
    approvals,
    found,
    askedPerSecond: asked.latencies.length / asked.seconds,
    none: figures(withNone),
    some: figures(withSome),
    ratio: spreadOf(ratios),
  };
}
