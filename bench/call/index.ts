import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Child } from "../lib/child.ts";
import { LoadGenerator } from "../lib/load.ts";
import { machine } from "../lib/machine.ts";
import type { Options } from "../lib/options.ts";
import { Progress } from "../lib/progress.ts";
import { type Starting, withFolder, within } from "../lib/scope.ts";
import { allMet, type Target } from "../lib/target.ts";
import { charts } from "./charts.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { policyCount } from "./config.ts";
import { direct } from "./direct.ts";
import { type FunctionTime, functionTimes } from "./function-times.ts";
import { planOf } from "./plan.ts";
import { type Profiled, profiled, profileReport } from "./profile.ts";
import { report } from "./report.ts";
import { figureOf, type Result, type Waiting } from "./result.ts";
import { type Bench, type Rounds, takeTurns } from "./rounds.ts";
import { targetsOf } from "./targets.ts";
import { targetOf, titles, type Variant, variants } from "./variants.ts";
import { whileWaiting } from "./waiting.ts";

interface Measured {
  readonly result: Result;
  readonly profiles: readonly Profiled[];
  readonly functions: readonly FunctionTime[];
}

/** One governed call against the bare engine and the bare function. Resolves with whether every target was met. */
export async function callBenchmark(options: Options, signal: AbortSignal): Promise<boolean> {
  const progress = new Progress();
  const { result, profiles, functions } = await withFolder(
    (folder, starting) =>
      within(
        planOf(options.quick).seconds * 1.5 + (options.profile ? 60 : 0),
        signal,
        measureAll(options, folder, progress, starting),
      ),
    () => progress.say("stopping"),
  );
  progress.end();
  const targets = targetsOf(result);
  const say = options.json ? console.error : console.log;
  say(`\n${report(result, targets)}`);
  if (profiles.length > 0) say(`\n${profileReport(profiles, functions)}`);
  if (options.out !== undefined) await write(options.out, { ...result, targets }, profiles);
  if (options.json) console.log(JSON.stringify({ ...result, targets }));
  if (result.errors.length > 0) throw new Error("There were errors: the figures mean nothing.");
  return allMet(targets);
}

async function measureAll(
  options: Options,
  folder: string,
  progress: Progress,
  starting: Starting,
): Promise<Measured> {
  const plan = planOf(options.quick);
  const about = machine(folder);
  progress.say("starting two clusters");
  const [none, some, load] = await Promise.all([
    startCluster(join(folder, "none"), options.engine, starting),
    startCluster(join(folder, "some"), options.engine, starting),
    starting(LoadGenerator.start()),
  ]);
  const bench: Bench = { plan, load, progress, errors: [] };
  await warmUp(bench, none, some);

  const turns = variants.map((variant) => ({ name: variant, variant, cluster: none }));
  const rounds = await takeTurns(bench, turns, plan.connections, plan.secondsForRounds);
  const waiting = await waitingSteps(bench, none, some);
  const profiles = options.profile ? await profiled(bench, none) : [];
  const functions = options.profile ? await functionTimes(none) : [];
  await Promise.all([none, some].map((cluster) => requireOneEffectEach(cluster, bench)));

  const [row] = await none.query<{ version: string }>("select current_setting('server_version') as version");
  const figures = figuresOf(rounds, plan.connections);
  const result: Result = {
    name: "call",
    commit: about.commit,
    covers: [
      `Compared in turn: ${Object.values(titles).join("; ")}.`,
      `Connections: ${plan.connections.join(", ")}. Rounds: ${variants
        .map(
          (variant) =>
            `${variant} ${Object.values(figures[variant])
              .map((figure) => figure.rounds)
              .join("/")}`,
        )
        .join(", ")}.`,
      `${policyCount} policies. The governed write is performed ${options.engine ? "by the worker" : "where it arrives"}.`,
      ...waiting.map(
        ({ approvals, found }) =>
          `(e) the governed write with ${approvals} approvals waiting; PostgreSQL had ${found.rounds} of them, the engine ${found.messages} messages.`,
      ),
      ...(bench.errors.length === 0 ? ["As many effects as governed writes that succeeded."] : []),
    ],
    at: new Date().toISOString(),
    quick: options.quick,
    performed: options.engine ? "by the worker" : "where it arrives",
    seconds: progress.seconds,
    machine: { ...about, postgres: row?.version ?? "unknown" },
    policies: policyCount,
    figures,
    direct: await direct(),
    waiting,
    errors: bench.errors,
  };
  return { result, profiles, functions };
}

async function warmUp({ plan, load, progress }: Bench, none: Cluster, some: Cluster): Promise<void> {
  progress.say("warming up");
  const until = plan.first;
  const turns = [...variants.map((variant) => [variant, none] as const), ["write", some] as const];
  for (const [variant, cluster] of turns)
    await load.run({ target: targetOf(variant, cluster), connections: 32, until });
}

/** What is left of the time is shared by the steps. */
async function waitingSteps(bench: Bench, none: Cluster, some: Cluster): Promise<Waiting[]> {
  const steps: Waiting[] = [];
  for (const [index, approvals] of bench.plan.waiting.entries()) {
    const left = bench.plan.seconds - bench.progress.seconds;
    const endBy = bench.progress.seconds + left / (bench.plan.waiting.length - index);
    steps.push(await whileWaiting(bench, none, some, approvals, endBy));
  }
  return steps;
}

function figuresOf(rounds: Rounds, connections: readonly number[]): Result["figures"] {
  const byConnections = (variant: Variant) =>
    Object.fromEntries(connections.map((each) => [each, figureOf(rounds(variant, each))]));
  return { bare: byConnections("bare"), write: byConnections("write"), read: byConnections("read") };
}

/** What was answered as done was done, and nothing was done twice: the processes' own count says so. */
async function requireOneEffectEach({ api, worker, query }: Cluster, { errors }: Bench): Promise<void> {
  const counts = await Promise.all([api, worker].map(effectsOf));
  const acted = counts.reduce((sum, count) => sum + count, 0);
  const [row] = await query<{ calls: number }>(
    "select count(*)::int as calls from paraph.call where capability = 'bench.write' and outcome = 'succeeded'",
  );
  if (acted !== row?.calls)
    errors.push(`${row?.calls} writes succeeded, but the processes acted ${acted} times`);
}

async function effectsOf(child: Child): Promise<number> {
  const answer = child.heard<{ kind: string; count: number }>("effects");
  child.send({ kind: "effects" });
  return (await answer).count;
}

async function write(
  folder: string,
  result: Result & { readonly targets: readonly Target[] },
  profiles: readonly Profiled[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = result.performed === "by the worker" ? "bench-call-engine" : "bench-call";
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  for (const [name, svg] of Object.entries(charts(result))) await writeFile(join(folder, name), svg);
  for (const { name, profile } of profiles)
    await writeFile(join(folder, `call-${name}.cpuprofile`), JSON.stringify(profile));
}
