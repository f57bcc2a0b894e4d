import { Cluster } from "../cluster.ts";
import { judge } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { shuffled } from "../random.ts";
import { finish } from "../report/finish.ts";
import { discover, everything } from "./points.ts";
import { scenarioGrant } from "./scenario.ts";
import { type Struck, Sweep } from "./sweep.ts";

/** Every durable boundary × before and after × process, PostgreSQL and Restate killed there. Quick: a sample in two minutes. */
export async function crashPoints(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const cluster = await Cluster.start({ hooks: true });
  try {
    await cluster.grant(scenarioGrant);
    options.progress("finding the boundaries");
    const script = everything(cluster);
    const found = await discover(cluster, script);
    const all = found.filter(({ boundary }) => boundary.includes(options.at ?? ""));
    const repeats = options.repeats ?? 1;
    const chosen = options.quick
      ? shuffled(all, options.seed)
      : Array.from({ length: repeats }, () => all).flat();
    const budgetMs = options.quick ? 45_000 : Number.POSITIVE_INFINITY;
    const struck: Struck[] = [];
    const sweep = await Sweep.over(cluster, script);
    for (const [index, point] of chosen.entries()) {
      if (Date.now() - startedAt > budgetMs) break;
      options.progress(
        `${index + 1}/${chosen.length} ${point.role}: ${point.victim} dies ${point.when} ${point.boundary}`,
      );
      struck.push(await sweep.strike(point, `p${index}`));
    }
    options.progress("letting everything come to rest");
    await cluster.atRest();
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
    return await finish(options, history, violations, {
      boundaries: new Set(all.map(({ role, boundary }) => `${role} ${boundary}`)).size,
      points: all.length,
      struck: struck.length,
      reached,
      calls: history.ledger.length,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
    });
  } finally {
    await cluster.stop();
  }
}
