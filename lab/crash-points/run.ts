import { judgeHistory } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabCluster } from "../lab-cluster.ts";
import { finishRun } from "../report/finish.ts";
import { summarizeSweep } from "./coverage.ts";
import { crashAtPoints } from "./crash-at-points.ts";
import { createFullScript, discoverPoints } from "./points.ts";
import { scenarioGrant } from "./scenario.ts";

/**
 * Kills the process, PostgreSQL and a node of Restate before and after every durable boundary. A quick run takes a fixed
 * sample.
 */
export async function runCrashPoints(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const cluster = await LabCluster.start({ engine: options.engine, hooks: true });
  try {
    await cluster.createGrant(scenarioGrant);
    options.progress("finding the boundaries");
    const script = createFullScript(cluster);
    const found = await discoverPoints(cluster, script);
    const { crashed, sweep, points } = await crashAtPoints(cluster, script, found, options);
    const history = await cluster.collectHistory(
      {
        run: "crash-points",
        seed: options.seed,
        startedAt,
        minSucceeded: crashed.length * 10,
        granted: { [scenarioGrant.id]: { count: scenarioGrant.countLeft } },
      },
      sweep.records,
    );
    const violations = await judgeHistory(history);
    const reached = crashed.filter((each) => each.reached).length;
    const figures = {
      boundaries: new Set(found.map(({ role, boundary }) => `${role} ${boundary}`)).size,
      points: points.known.length,
      "points tried": crashed.length,
      reached,
      calls: history.ledger.length,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    const covers = [`${cluster.engineText}.`, ...summarizeSweep(crashed, found.length)];
    const result = await finishRun(options, history, violations, figures, covers);
    return { ...result, points };
  } finally {
    await cluster.stop();
  }
}
