import { Cluster } from "../cluster.ts";
import { judge } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { finish } from "../report/finish.ts";
import { sweepCoverage } from "./coverage.ts";
import { discover, everything } from "./points.ts";
import { scenarioGrant } from "./scenario.ts";
import { strikeAll } from "./strike-all.ts";

/** Every durable boundary × before and after × process, PostgreSQL and Restate killed there. Quick: a fixed sample. */
export async function crashPoints(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const cluster = await Cluster.start({ hooks: true });
  try {
    await cluster.grant(scenarioGrant);
    options.progress("finding the boundaries");
    const script = everything(cluster);
    const found = await discover(cluster, script);
    const { struck, sweep, points } = await strikeAll(cluster, script, found, options);
    const history = await cluster.history(
      {
        run: "crash-points",
        seed: options.seed,
        startedAt,
        leastSucceeded: struck.length * 10,
        granted: { [scenarioGrant.id]: { count: scenarioGrant.countLeft } },
      },
      sweep.records,
    );
    const violations = await judge(history);
    const reached = struck.filter((each) => each.reached).length;
    const figures = {
      boundaries: new Set(found.map(({ role, boundary }) => `${role} ${boundary}`)).size,
      points: points.known.length,
      struck: struck.length,
      reached,
      calls: history.ledger.length,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    };
    const covers = sweepCoverage(struck, found.length);
    const result = await finish(options, history, violations, figures, covers);
    return { ...result, points };
  } finally {
    await cluster.stop();
  }
}
