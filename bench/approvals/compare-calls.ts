import type { LoadGenerator, LoadTarget } from "../lib/load.ts";
import { computeLatency, computeMedian, computeSpread, type Spread } from "../lib/stats.ts";
import type { ApprovalsCluster } from "./cluster.ts";

/**
 * A latency comparison of governed writes that need no approval, sent one at a time. One series runs on an idle
 * database, the other beside all waiting approvals.
 */
export interface CallComparison {
  /** The median of each round's p50, in milliseconds. */
  readonly none: number;
  readonly waiting: number;
  /** The ratio of `waiting` to `none` in each round. Both are measured within seconds of each other. */
  readonly ratio: Spread;
  readonly calls: number;
  readonly faults: readonly string[];
}

export async function compareCalls(
  cluster: ApprovalsCluster,
  load: LoadGenerator,
  { rounds, measureMs }: { readonly rounds: number; readonly measureMs: number },
): Promise<CallComparison> {
  const none = createCallTarget(cluster.calm.apiUrl, cluster.calm.findKey("agent0"));
  const waiting = createCallTarget(cluster.apiUrl, cluster.findKey("agent0"));
  const faults: string[] = [];
  const p50s: { none: number; waiting: number }[] = [];
  let calls = 0;
  const p50Of = async (target: LoadTarget) => {
    const loaded = await load.run({ target, connections: 1, until: { warmMs: 300, measureMs } });
    if (loaded.errors > 0) faults.push(`${loaded.errors} calls failed, first: ${loaded.firstError}`);
    calls += loaded.latencies.length;
    return computeLatency(loaded.latencies).p50;
  };
  for (const target of [none, waiting])
    await load.run({ target, connections: 8, until: { calls: 300, withinMs: 2_000 } });
  for (let round = 0; round < rounds; round++) {
    const turns = round % 2 === 0 ? (["none", "waiting"] as const) : (["waiting", "none"] as const);
    const measured = { none: 0, waiting: 0 };
    for (const turn of turns) measured[turn] = await p50Of(turn === "none" ? none : waiting);
    p50s.push(measured);
  }
  return {
    none: computeMedian(p50s.map((round) => round.none)),
    waiting: computeMedian(p50s.map((round) => round.waiting)),
    ratio: computeSpread(p50s.map((round) => round.waiting / round.none)),
    calls,
    faults,
  };
}

function createCallTarget(origin: string, key: string): LoadTarget {
  return {
    origin,
    path: "/v1/calls",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, prefer: "wait=30" },
    body: JSON.stringify({ capability: "bench.write", input: { name: "{n}" } }),
    expect: { status: 200, contains: '"outcome":{"kind":"succeeded"' },
  };
}
