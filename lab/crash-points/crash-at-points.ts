import type { LabOptions, LabResult } from "../lab.ts";
import type { LabCluster } from "../lab-cluster.ts";
import { choosePoints, formatPoint } from "./choose-points.ts";
import type { CrashPoint } from "./points.ts";
import type { Script } from "./script.ts";
import { type CrashedPoint, Sweep } from "./sweep.ts";

/** A cluster at which a sweep crashes points, and the script that it plays there. */
export interface SweepLane {
  readonly cluster: LabCluster;
  readonly script: Script;
}

/** The number of points at which a quick run crashes. */
const quickPoints = 8;

/**
 * Crashes at the points that the options select, and lets the clusters come to rest. Each lane crashes at one point
 * after another. Most of a point's time is waiting, so several lanes share a machine.
 */
export async function crashAtPoints(
  lanes: readonly SweepLane[],
  found: readonly CrashPoint[],
  options: LabOptions,
): Promise<{ crashed: CrashedPoint[]; sweeps: Sweep[]; points: NonNullable<LabResult["points"]> }> {
  const all = found.filter(({ boundary }) => boundary.includes(options.at ?? ""));
  const chosen = choosePoints(all, {
    seed: options.seed,
    ...(options.points && { named: options.points }),
    ...(options.quick && { count: quickPoints }),
  });
  const rounds = Array.from({ length: options.repeats ?? 1 }, () => chosen).flat();
  const crashed: CrashedPoint[] = [];
  const left = rounds.entries();
  const sweeps = await Promise.all(
    lanes.map(async ({ cluster, script }) => {
      const sweep = await Sweep.start(cluster, script);
      for (const [index, point] of left) {
        options.progress(`${index + 1}/${rounds.length} ${formatPoint(point)}`);
        crashed[index] = await sweep.crashAt(point, `p${index}`);
      }
      options.progress("waiting until every call has ended");
      await cluster.waitForRest();
      return sweep;
    }),
  );
  const names = crashed.filter(({ reached }) => reached).map(({ point }) => formatPoint(point));
  return { crashed, sweeps, points: { known: all.map(formatPoint), reached: [...new Set(names)] } };
}
