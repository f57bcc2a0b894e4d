import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LoadGenerator } from "../lib/load.ts";
import { machine } from "../lib/machine.ts";
import type { Options } from "../lib/options.ts";
import { Progress } from "../lib/progress.ts";
import { type Starting, withFolder, within } from "../lib/scope.ts";
import { allMet } from "../lib/target.ts";
import { machineBusyMs, usageOf } from "../lib/usage.ts";
import { waitingIn } from "../lib/waiting.ts";
import { contend, decideAtOnce } from "./at-once.ts";
import { compareCalls } from "./calls.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { readLists } from "./lists.ts";
import { decideAtPace } from "./paced.ts";
import { planOf } from "./plan.ts";
import { populate } from "./population.ts";
import { report } from "./report.ts";
import { faultsIn, type Result } from "./result.ts";
import { targetsOf } from "./targets.ts";

/** What people wait for while 20,000 approvals do. Resolves with whether every target was met. */
export async function approvalsBenchmark(options: Options, signal: AbortSignal): Promise<boolean> {
  const progress = new Progress();
  const result = await withFolder(
    (folder, starting) =>
      within(planOf(options.quick).seconds, signal, measureAll(options.quick, folder, progress, starting)),
    () => progress.say("stopping"),
  );
  progress.end();
  const targets = targetsOf(result);
  const say = options.json ? console.error : console.log;
  say(`\n${report(result, targets)}`);
  const text = { ...result, targets };
  if (options.out !== undefined) {
    await mkdir(options.out, { recursive: true });
    await writeFile(join(options.out, "bench-approvals.json"), `${JSON.stringify(text, null, 2)}\n`);
  }
  if (options.json) console.log(JSON.stringify(text));
  if (faultsIn(result).length > 0) throw new Error("There were errors: the figures mean nothing.");
  return allMet(targets);
}

async function measureAll(
  quick: boolean,
  folder: string,
  progress: Progress,
  starting: Starting,
): Promise<Result> {
  const plan = planOf(quick);
  const about = machine(folder);
  progress.say("starting");
  const [cluster, load] = await Promise.all([
    startCluster(folder, starting),
    starting(LoadGenerator.start()),
  ]);
  const others = othersOf([...cluster.pids, load.pid]);
  progress.say(`having ${plan.waiting.rounds.toLocaleString("en")} approvals wait`);
  await populate(cluster, plan.waiting);
  const waiting = await waitingIn(cluster);
  progress.say("reading lists");
  const lists = await readLists(cluster, plan.lists);
  progress.say("comparing calls");
  const calls = await compareCalls(cluster, load, plan.calls);
  progress.say(`deciding ${plan.pace.perSecond} a second for ${plan.pace.seconds} s`);
  const paced = await decideAtPace(cluster, plan.pace);
  progress.say(`deciding ${plan.atOnce.toLocaleString("en")} at once`);
  const atOnce = await decideAtOnce(cluster, plan.atOnce);
  progress.say(`deciding one ${plan.contended.toLocaleString("en")} times at once`);
  const contended = await contend(cluster, plan.contended);
  return {
    name: "approvals",
    at: new Date().toISOString(),
    quick,
    seconds: progress.seconds,
    commit: about.commit,
    covers: [
      `${waiting.rounds.toLocaleString("en")} approvals wait in one tenant, ${waiting.messages.toLocaleString("en")} of them with a message in the engine.`,
      `Lists read page by page: ${lists.map(({ list, pages }) => `${list} (${pages} pages)`).join(", ")}.`,
      `Decisions: ${plan.pace.perSecond} a second for ${plan.pace.seconds} s, ${plan.atOnce.toLocaleString("en")} at once, and ${plan.contended.toLocaleString("en")} at once about the same approval.`,
      "The time to the start of apply is from sending the decision to the first line of the capability, in another process.",
    ],
    machine: { ...about, postgres: await versionOf(cluster) },
    othersCores: others(),
    waiting,
    lists,
    paced,
    atOnce,
    contended,
    calls,
  };
}

async function versionOf({ query }: Cluster): Promise<string> {
  const [row] = await query<{ version: string }>("select current_setting('server_version') as version");
  return row?.version ?? "unknown";
}

/** How many cores everybody but these and this process has taken since. */
function othersOf(pids: readonly number[]): () => number {
  const read = () => ({
    at: performance.now(),
    busyMs: machineBusyMs(),
    oursMs: [process.pid, ...pids].reduce((sum, pid) => sum + usageOf(pid).cpuMs, 0),
  });
  const before = read();
  return () => {
    const after = read();
    const others = after.busyMs - before.busyMs - (after.oursMs - before.oursMs);
    return Math.max(0, others / (after.at - before.at));
  };
}
