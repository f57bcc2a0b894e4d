import type { LoadGenerator } from "../lib/load.ts";
import type { BenchProgress } from "../lib/progress.ts";
import type { CallCluster } from "./cluster.ts";
import { type MeasuredSlice, measureSlice } from "./slice.ts";
import type { Variant } from "./variants.ts";
import type { CallWorkload } from "./workload.ts";

/** One participant in a round: a variant on a cluster, under its own name. */
export interface VariantTurn {
  readonly name: string;
  readonly variant: Variant;
  readonly cluster: CallCluster;
}

export interface CallBench {
  readonly plan: CallWorkload;
  readonly load: LoadGenerator;
  readonly progress: BenchProgress;
  /** The errors of all slices. One error fails the run. */
  readonly errors: string[];
}

/** Returns the slices of a participant by its name and the number of connections. */
export type Rounds = (name: string, connections: number) => readonly MeasuredSlice[];

/**
 * Runs all variants in turn at each number of connections, round after round. A different variant starts each round.
 * Except for the first, a round is skipped if it would end after `endBy`, in seconds of the run.
 */
export async function takeTurns(
  bench: CallBench,
  turns: readonly VariantTurn[],
  connections: readonly number[],
  endBy: number,
): Promise<Rounds> {
  const { plan, progress } = bench;
  const slices = new Map<string, MeasuredSlice[]>();
  let longest = 0;
  for (let round = 1; round <= plan.rounds; round++) {
    const begun = progress.seconds;
    if (round > 1 && begun + longest > endBy) break;
    for (const each of connections) {
      for (const turn of rotate(turns, round)) {
        const slice = await runTurn(bench, turn, each);
        progress.show(
          `round ${round}/${plan.rounds}  ${turn.name}, ${each} connection${each === 1 ? "" : "s"}: ${Math.round(slice.callsPerSecond)} calls/s`,
        );
        const key = `${turn.name}/${each}`;
        slices.set(key, [...(slices.get(key) ?? []), slice]);
      }
    }
    longest = Math.max(longest, progress.seconds - begun);
  }
  return (name, of) => slices.get(`${name}/${of}`) ?? [];
}

async function runTurn(
  { plan, load, errors }: CallBench,
  turn: VariantTurn,
  connections: number,
): Promise<MeasuredSlice> {
  const measureMs = connections === 1 ? plan.singleMs : plan.manyMs;
  const slice = await measureSlice(
    { variant: turn.variant, connections, warmMs: plan.warmMs, measureMs },
    turn.cluster,
    load,
  );
  if (slice.errors > 0)
    errors.push(
      `${turn.name}, ${connections} connections: ${slice.errors} of ${slice.answered} calls, first: ${slice.firstError}`,
    );
  if (slice.latencies.length === 0)
    errors.push(`${turn.name}, ${connections} connections: no call was answered`);
  return slice;
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
