import type { Profiler } from "node:inspector";
import type { ChildHandle } from "../lib/child.ts";
import { rankSelfTimes, rankSelfTimesByPart, type SelfTime } from "../lib/self-time.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import type { CallCluster } from "./cluster.ts";
import { enableFunctionCounts, type FunctionTime } from "./function-times.ts";
import type { CallBench } from "./rounds.ts";
import { measureSlice } from "./slice.ts";
import type { Variant } from "./variants.ts";

export interface ProcessProfile {
  /** The name in `call-<name>.cpuprofile`, a file for Chrome's developer tools. */
  readonly name: string;
  readonly calls: number;
  readonly profile: Profiler.Profile;
}

/** This is long enough for several thousand samples, even in a quick run. */
const measureMs = 5_000;

/** Profiles separate slices, because V8's sampler slows the process. None of the published figures come from here. */
export async function profileProcesses(bench: CallBench, cluster: CallCluster): Promise<ProcessProfile[]> {
  const { api, worker } = cluster;
  await enableFunctionCounts(cluster);
  return [
    ...(await profileUnderLoad(bench, cluster, "write", { api, worker })),
    ...(await profileUnderLoad(bench, cluster, "read", { api })),
  ];
}

async function profileUnderLoad(
  { plan, load, progress }: CallBench,
  cluster: CallCluster,
  variant: Variant,
  watched: Record<string, ChildHandle>,
): Promise<ProcessProfile[]> {
  const [, , connections] = plan.connections;
  progress.show(`profile of ${variant}`);
  for (const child of Object.values(watched)) {
    const begun = child.waitForMessage("profiling");
    child.send({ kind: "profile" });
    await begun;
  }
  const { answered } = await measureSlice(
    { variant, connections, warmMs: plan.warmMs, measureMs },
    cluster,
    load,
  );
  return Promise.all(
    Object.entries(watched).map(async ([name, child]) => {
      const answer = child.waitForMessage<{ kind: string; profile: Profiler.Profile }>("profiled");
      child.send({ kind: "profiled" });
      return { name: `${variant}-${name}`, calls: answered, profile: (await answer).profile };
    }),
  );
}

export function formatProfileReport(
  profiles: readonly ProcessProfile[],
  functions: readonly FunctionTime[],
): string {
  const inDatabase = functions.map(({ name, calls, microseconds }) => [
    name,
    formatFigure(calls),
    formatFigure(microseconds),
  ]);
  return profiles
    .flatMap(({ name, calls, profile }) => [
      formatSection(`${name}, by part`, calls, rankSelfTimesByPart(profile, 14)),
      formatSection(`${name}, by function`, calls, rankSelfTimes(profile, 22)),
    ])
    .concat(
      alignTable(["Self time: functions in PostgreSQL", "times", "µs each, waits included"], inDatabase),
    )
    .join("\n\n");
}

function formatSection(title: string, calls: number, times: readonly SelfTime[]): string {
  const rows = times.map(({ what, ms, share }) => [
    what,
    `${(share * 100).toFixed(1)} %`,
    formatFigure((ms / calls) * 1_000),
  ]);
  return alignTable([`Self time: ${title}`, "of busy", "µs per call"], rows);
}
