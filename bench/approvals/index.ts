import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toResultName } from "../../lab/published-experiments.ts";
import { countWaiting, formatMessages } from "../lib/count-waiting.ts";
import { LoadGenerator } from "../lib/load.ts";
import { describeMachine } from "../lib/machine.ts";
import type { BenchOptions } from "../lib/options.ts";
import { BenchProgress } from "../lib/progress.ts";
import { areAllMet } from "../lib/target.ts";
import { readMachineBusyMs, readUsage } from "../lib/usage.ts";
import { type TrackStart, withFolder, withTimeout } from "../lib/with-folder.ts";
import { type ApprovalsCluster, startApprovalsCluster } from "./cluster.ts";
import { compareCalls } from "./compare-calls.ts";
import { measureConcurrentDecisions, measureContention } from "./concurrent-decisions.ts";
import { readLists } from "./lists.ts";
import { measurePacedDecisions } from "./paced-decisions.ts";
import { formatApprovalsReport } from "./report.ts";
import { type ApprovalsBenchResult, listFaults } from "./result.ts";
import { evaluateApprovalsTargets } from "./targets.ts";
import { createWaitingApprovals } from "./waiting-approvals.ts";
import { pickApprovalsWorkload } from "./workload.ts";

/** Measures how long people wait while 20,000 approvals are open. Resolves with whether every target was met. */
export async function approvalsBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const progress = new BenchProgress();
  const result = await withFolder(
    (folder, starting) =>
      withTimeout(
        pickApprovalsWorkload(options.quick).seconds,
        signal,
        measureAll(options, folder, progress, starting),
      ),
    () => progress.show("stopping"),
  );
  progress.end();
  const targets = evaluateApprovalsTargets(result);
  const say = options.json ? console.error : console.log;
  say(`\n${formatApprovalsReport(result, targets)}`);
  const text = { ...result, targets };
  if (options.out !== undefined) {
    await mkdir(options.out, { recursive: true });
    const file = `${toResultName("bench-approvals", options.engine)}.json`;
    await writeFile(join(options.out, file), `${JSON.stringify(text, null, 2)}\n`);
  }
  if (options.json) console.log(JSON.stringify(text));
  if (listFaults(result).length > 0) throw new Error("There were errors: the figures mean nothing.");
  return areAllMet(targets);
}

async function measureAll(
  { quick, engine }: BenchOptions,
  folder: string,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<ApprovalsBenchResult> {
  const plan = pickApprovalsWorkload(quick);
  const about = describeMachine(folder);
  progress.show("starting");
  const [cluster, load] = await Promise.all([
    startApprovalsCluster(folder, engine, starting),
    starting(LoadGenerator.start()),
  ]);
  const others = trackOtherCpu([...cluster.pids, load.pid]);
  progress.show(`having ${plan.waiting.rounds.toLocaleString("en")} approvals wait`);
  await createWaitingApprovals(cluster, plan.waiting);
  const waiting = await countWaiting(cluster);
  progress.show("reading lists");
  const lists = await readLists(cluster, plan.lists);
  progress.show("comparing calls");
  const calls = await compareCalls(cluster, load, plan.calls);
  progress.show(`deciding ${plan.pace.perSecond} a second for ${plan.pace.seconds} s`);
  const paced = await measurePacedDecisions(cluster, plan.pace);
  progress.show(`deciding ${plan.atOnce.toLocaleString("en")} at once`);
  const atOnce = await measureConcurrentDecisions(cluster, plan.atOnce);
  progress.show(`deciding one ${plan.contended.toLocaleString("en")} times at once`);
  const contended = await measureContention(cluster, plan.contended);
  return {
    name: "approvals",
    engine,
    at: new Date().toISOString(),
    quick,
    seconds: progress.seconds,
    commit: about.commit,
    covers: [
      `${waiting.rounds.toLocaleString("en")} approvals wait in one tenant; ${formatMessages(waiting)}.`,
      `Lists read page by page: ${lists.map(({ list, pages }) => `${list} (${pages} pages)`).join(", ")}.`,
      `Decisions: ${plan.pace.perSecond} a second for ${plan.pace.seconds} s, ${plan.atOnce.toLocaleString("en")} at once, and ${plan.contended.toLocaleString("en")} at once about the same approval.`,
      "The time to the start of apply is from sending the decision to the first line of the capability, in another process.",
    ],
    machine: { ...about, postgres: await readPostgresVersion(cluster) },
    othersCores: others(),
    waiting,
    lists,
    paced,
    atOnce,
    contended,
    calls,
  };
}

async function readPostgresVersion({ query }: ApprovalsCluster): Promise<string> {
  const [row] = await query<{ version: string }>("select current_setting('server_version') as version");
  return row?.version ?? "unknown";
}

/**
 * Starts tracking and returns a function. That function measures how many cores all other processes have used since
 * tracking started.
 */
function trackOtherCpu(pids: readonly number[]): () => number {
  const read = () => ({
    at: performance.now(),
    busyMs: readMachineBusyMs(),
    oursMs: [process.pid, ...pids].reduce((sum, pid) => sum + readUsage(pid).cpuMs, 0),
  });
  const before = read();
  return () => {
    const after = read();
    const others = after.busyMs - before.busyMs - (after.oursMs - before.oursMs);
    return Math.max(0, others / (after.at - before.at));
  };
}
