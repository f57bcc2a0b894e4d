import { judgeHistory } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabCluster } from "../lab-cluster.ts";
import { finishRun } from "../report/finish.ts";
import { summarizeSweep } from "./coverage.ts";
import { crashAtPoints } from "./crash-at-points.ts";
import { createFullScript, discoverPoints } from "./points.ts";
import { scenarioGrant } from "./scenario.ts";
import type { Sweep } from "./sweep.ts";

/** The number of clusters among which a whole sweep divides its points. */
const laneCount = 3;

/**
 * Kills the process, PostgreSQL and a node of Restate before and after every durable boundary. A quick run takes a fixed
 * sample.
 */
export async function runCrashPoints(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const clusters: LabCluster[] = [];
  try {
    for (let lane = 0; lane < (options.quick ? 1 : laneCount); lane += 1) {
      const cluster = await LabCluster.start({ engine: options.engine, hooks: true });
      clusters.push(cluster);
      await cluster.createGrant(scenarioGrant);
    }
    const lanes = clusters.map((cluster) => ({ cluster, script: createFullScript(cluster) }));
    options.progress("finding the boundaries");
    const found = await discoverPoints(clusters[0]!, lanes[0]!.script);
    const { crashed, sweeps, points } = await crashAtPoints(lanes, found, options);
    const collect = (cluster: LabCluster, { records, count }: Sweep) =>
      cluster.collectHistory(
        {
          run: "crash-points",
          seed: options.seed,
          startedAt,
          minSucceeded: count * 10,
          granted: { [scenarioGrant.id]: { count: scenarioGrant.countLeft } },
        },
        records,
      );
    const histories = await Promise.all(clusters.map((cluster, lane) => collect(cluster, sweeps[lane]!)));
    const violations = (await Promise.all(histories.map(judgeHistory))).flat();
    const figures = {
      boundaries: new Set(found.map(({ role, boundary }) => `${role} ${boundary}`)).size,
      points: points.known.length,
      "points tried": crashed.length,
      reached: crashed.filter((each) => each.reached).length,
      calls: histories.reduce((sum, { ledger }) => sum + ledger.length, 0),
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    const covers = [
      `${clusters.length} ${clusters.length === 1 ? "cluster" : "clusters, each"} with ${clusters[0]!.engineText}.`,
      ...summarizeSweep(crashed, found.length),
    ];
    const [first, ...others] = histories;
    const result = await finishRun(options, [first!, ...others], violations, figures, covers);
    return { ...result, points };
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  }
}
