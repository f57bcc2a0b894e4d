import type { LabOptions, LabResult } from "../lab.ts";
import type { LabCluster } from "../lab-cluster.ts";
import { choosePoints, formatPoint } from "./choose-points.ts";
import type { CrashPoint } from "./points.ts";
import type { Script } from "./script.ts";
import { type CrashedPoint, Sweep } from "./sweep.ts";

/** The number of points at which a quick run crashes. */
const quickPoints = 8;

/** Crashes at the points that the options select, one after another, and lets the cluster come to rest. */
export async function crashAtPoints(
  cluster: LabCluster,
  script: Script,
  found: readonly CrashPoint[],
  options: LabOptions,
): Promise<{ crashed: CrashedPoint[]; sweep: Sweep; points: NonNullable<LabResult["points"]> }> {
  const all = found.filter(({ boundary }) => boundary.includes(options.at ?? ""));
  const chosen = choosePoints(all, {
    seed: options.seed,
    ...(options.points && { named: options.points }),
    ...(options.quick && { count: quickPoints }),
  });
  const rounds = Array.from({ length: options.repeats ?? 1 }, () => chosen).flat();
  const sweep = await Sweep.start(cluster, script);
  const crashed: CrashedPoint[] = [];
  for (const [index, point] of rounds.entries()) {
    options.progress(`${index + 1}/${rounds.length} ${formatPoint(point)}`);
    crashed.push(await sweep.crashAt(point, `p${index}`));
  }
  options.progress("waiting until every call has ended");
  await cluster.waitForRest();
  const names = crashed.filter(({ reached }) => reached).map(({ point }) => formatPoint(point));
  return { crashed, sweep, points: { known: all.map(formatPoint), reached: [...new Set(names)] } };
}
