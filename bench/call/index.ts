import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toResultName } from "../../lab/published-experiments.ts";
import type { ChildHandle } from "../lib/child.ts";
import { formatMessages } from "../lib/count-waiting.ts";
import { LoadGenerator } from "../lib/load.ts";
import { describeMachine } from "../lib/machine.ts";
import type { BenchOptions } from "../lib/options.ts";
import { BenchProgress } from "../lib/progress.ts";
import { areAllMet, type BenchTarget } from "../lib/target.ts";
import { type TrackStart, withFolder, withTimeout } from "../lib/with-folder.ts";
import { drawCharts } from "./charts.ts";
import { type CallCluster, startCallCluster } from "./cluster.ts";
import { compareWhileWaiting } from "./compare-waiting.ts";
import { policyCount } from "./config.ts";
import { measureDirectCalls } from "./direct.ts";
import { type FunctionTime, readFunctionTimes } from "./function-times.ts";
import { formatProfileReport, type ProcessProfile, profileProcesses } from "./profile.ts";
import { formatCallReport } from "./report.ts";
import { type CallBenchResult, type ConnectionFigures, toFigure, type WaitingComparison } from "./result.ts";
import { type CallBench, type Rounds, takeTurns } from "./rounds.ts";
import { evaluateCallTargets } from "./targets.ts";
import { createVariantTarget, listVariants, type Variant, variantTitles } from "./variants.ts";
import { pickCallWorkload } from "./workload.ts";

/** A run that takes this many times its planned duration hangs. A busy machine takes several times the duration. */
const hangFactor = 10;

interface Measurement {
  readonly result: CallBenchResult;
  readonly profiles: readonly ProcessProfile[];
  readonly functions: readonly FunctionTime[];
}

/**
 * Compares one governed call with the bare engine and the bare function. Resolves with whether every target was met.
 */
export async function callBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const progress = new BenchProgress();
  const { result, profiles, functions } = await withFolder(
    (folder, starting) =>
      withTimeout(
        pickCallWorkload(options.quick).seconds * hangFactor,
        signal,
        measureAll(options, folder, progress, starting),
      ),
    () => progress.show("stopping"),
  );
  progress.end();
  const targets = evaluateCallTargets(result);
  const say = options.json ? console.error : console.log;
  say(`\n${formatCallReport(result, targets)}`);
  if (profiles.length > 0) say(`\n${formatProfileReport(profiles, functions)}`);
  if (options.out !== undefined) await writeResults(options.out, { ...result, targets }, profiles);
  if (options.json) console.log(JSON.stringify({ ...result, targets }));
  if (result.errors.length > 0) throw new Error("There were errors: the figures mean nothing.");
  return areAllMet(targets);
}

async function measureAll(
  options: BenchOptions,
  folder: string,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<Measurement> {
  const plan = pickCallWorkload(options.quick);
  const about = describeMachine(folder);
  progress.show("starting two clusters");
  const [none, some, load] = await Promise.all([
    startCallCluster(join(folder, "none"), options, starting),
    startCallCluster(join(folder, "some"), options, starting),
    starting(LoadGenerator.start()),
  ]);
  const bench: CallBench = { plan, load, progress, errors: [] };
  const variants = listVariants(options.engine);
  await warmUp(bench, variants, none, some);

  const turns = variants.map((variant) => ({ name: variant, variant, cluster: none }));
  const rounds = await takeTurns(bench, turns, plan.connections, plan.secondsForRounds);
  const waiting = await measureWaitingSteps(bench, none, some);
  const profiles = options.profile ? await profileProcesses(bench, none) : [];
  const functions = options.profile ? await readFunctionTimes(none) : [];
  await Promise.all([none, some].map((cluster) => requireOneEffectEach(cluster, bench)));

  const [row] = await none.query<{ version: string }>("select current_setting('server_version') as version");
  const figures = toFigures(rounds, variants, plan.connections);
  const result: CallBenchResult = {
    name: "call",
    engine: options.engine,
    commit: about.commit,
    covers: [
      `Compared in turn: ${[...variants, "direct" as const].map((variant) => variantTitles[variant]).join("; ")}.`,
      `Connections: ${plan.connections.join(", ")}. Rounds: ${variants
        .map(
          (variant) =>
            `${variant} ${Object.values(figures[variant] ?? {})
              .map((figure) => figure.rounds)
              .join("/")}`,
        )
        .join(", ")}.`,
      `${policyCount} policies. The governed write is performed ${options.worker ? "by the worker" : "where it arrives"}.`,
      ...waiting.map(
        ({ approvals, found }) =>
          `(e) the governed write with ${approvals} approvals waiting, ${found.rounds} of them in PostgreSQL; ${formatMessages(found)}.`,
      ),
      ...(bench.errors.length === 0 ? ["As many effects as governed writes that succeeded."] : []),
    ],
    at: new Date().toISOString(),
    quick: options.quick,
    performed: options.worker ? "by the worker" : "where it arrives",
    seconds: progress.seconds,
    machine: { ...about, postgres: row?.version ?? "unknown" },
    policies: policyCount,
    figures,
    direct: await measureDirectCalls(),
    waiting,
    errors: bench.errors,
  };
  return { result, profiles, functions };
}

async function warmUp(
  { plan, load, progress }: CallBench,
  variants: readonly Variant[],
  none: CallCluster,
  some: CallCluster,
): Promise<void> {
  progress.show("warming up");
  const until = plan.first;
  const turns = [...variants.map((variant) => [variant, none] as const), ["write", some] as const];
  for (const [variant, cluster] of turns)
    await load.run({ target: createVariantTarget(variant, cluster), connections: 32, until });
}

/** Measures each number of waiting approvals. The steps share the remaining time. */
async function measureWaitingSteps(
  bench: CallBench,
  none: CallCluster,
  some: CallCluster,
): Promise<WaitingComparison[]> {
  const steps: WaitingComparison[] = [];
  for (const [index, approvals] of bench.plan.waiting.entries()) {
    const left = bench.plan.seconds - bench.progress.seconds;
    const endBy = bench.progress.seconds + left / (bench.plan.waiting.length - index);
    steps.push(await compareWhileWaiting(bench, none, some, approvals, endBy));
  }
  return steps;
}

function toFigures(
  rounds: Rounds,
  variants: readonly Variant[],
  connections: readonly number[],
): CallBenchResult["figures"] {
  const byConnections = (variant: Variant): ConnectionFigures =>
    Object.fromEntries(connections.map((each) => [each, toFigure(rounds(variant, each))]));
  return {
    ...(variants.includes("bare") && { bare: byConnections("bare") }),
    write: byConnections("write"),
    read: byConnections("read"),
  };
}

/** Checks that every succeeded call had exactly one effect. The API process and the worker count their own effects. */
async function requireOneEffectEach(
  { api, worker, query }: CallCluster,
  { errors }: CallBench,
): Promise<void> {
  const counts = await Promise.all([api, worker].map(fetchEffectCount));
  const acted = counts.reduce((sum, count) => sum + count, 0);
  const [row] = await query<{ calls: number }>(
    "select count(*)::int as calls from paraph.call where capability = 'bench.write' and outcome = 'succeeded'",
  );
  if (acted !== row?.calls)
    errors.push(`${row?.calls} writes succeeded, but the processes acted ${acted} times`);
}

async function fetchEffectCount(child: ChildHandle): Promise<number> {
  const answer = child.waitForMessage<{ kind: string; count: number }>("effects");
  child.send({ kind: "effects" });
  return (await answer).count;
}

async function writeResults(
  folder: string,
  result: CallBenchResult & { readonly targets: readonly BenchTarget[] },
  profiles: readonly ProcessProfile[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = result.performed === "by the worker" ? "bench-call-worker" : "bench-call";
  const file = `${toResultName(name, result.engine)}.json`;
  await writeFile(join(folder, file), `${JSON.stringify(result, null, 2)}\n`);
  for (const [chart, svg] of Object.entries(drawCharts(result)))
    await writeFile(join(folder, `${toResultName(chart, result.engine)}.svg`), svg);
  for (const { name, profile } of profiles)
    await writeFile(join(folder, `call-${name}.cpuprofile`), JSON.stringify(profile));
}
