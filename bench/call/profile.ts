import type { Profiler } from "node:inspector";
import type { Child } from "../lib/child.ts";
import { type SelfTime, selfTimes, selfTimesByPart } from "../lib/self-time.ts";
import { figure, table } from "../lib/table.ts";
import type { Cluster } from "./cluster.ts";
import { countFunctions, type FunctionTime } from "./function-times.ts";
import type { Bench } from "./rounds.ts";
import { measure } from "./slice.ts";
import type { Variant } from "./variants.ts";

export interface Profiled {
  /** As in `call-<name>.cpuprofile`, for Chrome's developer tools. */
  readonly name: string;
  readonly calls: number;
  readonly profile: Profiler.Profile;
}

/** Long enough for some thousand samples, however quick the run. */
const measureMs = 5_000;

/** Slices of their own under V8's sampler, which slows what it watches: none of the figures come from here. */
export async function profiled(bench: Bench, cluster: Cluster): Promise<Profiled[]> {
  const { api, worker } = cluster;
  await countFunctions(cluster);
  return [
    ...(await underLoad(bench, cluster, "write", { api, worker })),
    ...(await underLoad(bench, cluster, "read", { api })),
  ];
}

async function underLoad(
  { plan, load, progress }: Bench,
  cluster: Cluster,
  variant: Variant,
  watched: Record<string, Child>,
): Promise<Profiled[]> {
  const [, , connections] = plan.connections;
  progress.say(`profile of ${variant}`);
  for (const child of Object.values(watched)) {
    const begun = child.heard("profiling");
    child.send({ kind: "profile" });
    await begun;
  }
  const { answered } = await measure({ variant, connections, warmMs: plan.warmMs, measureMs }, cluster, load);
  return Promise.all(
    Object.entries(watched).map(async ([name, child]) => {
      const answer = child.heard<{ kind: string; profile: Profiler.Profile }>("profiled");
      child.send({ kind: "profiled" });
      return { name: `${variant}-${name}`, calls: answered, profile: (await answer).profile };
    }),
  );
}

export function profileReport(profiles: readonly Profiled[], functions: readonly FunctionTime[]): string {
  const inDatabase = functions.map(({ name, calls, microseconds }) => [
    name,
    figure(calls),
    figure(microseconds),
  ]);
  return profiles
    .flatMap(({ name, calls, profile }) => [
      section(`${name}, by part`, calls, selfTimesByPart(profile, 14)),
      section(`${name}, by function`, calls, selfTimes(profile, 22)),
    ])
    .concat(table(["Self time: functions in PostgreSQL", "times", "µs each, waits included"], inDatabase))
    .join("\n\n");
}

function section(title: string, calls: number, times: readonly SelfTime[]): string {
  const rows = times.map(({ what, ms, share }) => [
    what,
    `${(share * 100).toFixed(1)} %`,
    figure((ms / calls) * 1_000),
  ]);
  return table([`Self time: ${title}`, "of busy", "µs per call"], rows);
}
