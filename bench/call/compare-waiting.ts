import { countWaiting } from "../lib/count-waiting.ts";
import { computeSpread } from "../lib/stats.ts";
import type { CallCluster } from "./cluster.ts";
import { toFigure, type WaitingComparison } from "./result.ts";
import { type CallBench, takeTurns } from "./rounds.ts";
import { createAskingTarget } from "./variants.ts";

/**
 * Measures the governed write while approvals wait. Two clusters run side by side and take turns, and only one of them
 * has waiting approvals. Measurements taken minutes apart would mostly show changes in the machine.
 */
export async function compareWhileWaiting(
  bench: CallBench,
  none: CallCluster,
  some: CallCluster,
  approvals: number,
  endBy: number,
): Promise<WaitingComparison> {
  const [, , many] = bench.plan.connections;
  const before = await countWaiting(some);
  bench.progress.show(`asking for ${approvals - before.rounds} approvals`);
  const result = await bench.load.run({
    target: createAskingTarget(some),
    connections: 32,
    until: { calls: approvals - before.rounds, withinMs: 200_000 },
  });
  if (result.errors > 0)
    bench.errors.push(`asking: ${result.errors} of ${result.answered}, first: ${result.firstError}`);
  const found = await countWaiting(some);
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
  const figures = ({ single, many }: typeof withNone) => ({ single: toFigure(single), many: toFigure(many) });
  const ratios = withSome.many.map(
    (slice, round) => slice.callsPerSecond / (withNone.many[round]?.callsPerSecond ?? Number.NaN),
  );
  return {
    approvals,
    found,
    askedPerSecond: result.latencies.length / result.seconds,
    none: figures(withNone),
    some: figures(withSome),
    ratio: computeSpread(ratios),
  };
}
