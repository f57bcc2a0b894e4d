// Usage: npm run lab -- NAME [--seed N] [--quick] [--json] [--check] [--out DIR] …
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ParseArgsConfig, parseArgs, styleText } from "node:util";
import { describeMachine, type Machine } from "../bench/lib/machine.ts";
import { formatTargets } from "../bench/lib/target.ts";
import { runKeptCases } from "./cases/run.ts";
import { runChannels } from "./channels/run.ts";
import { runClock } from "./clock/run.ts";
import { runCrashPoints } from "./crash-points/run.ts";
import { runEffects } from "./effects/run.ts";
import { runFailover } from "./failover/run.ts";
import { runFreeze } from "./freeze/run.ts";
import { rejudgeHistory } from "./history/rejudge.ts";
import { runInjection } from "./injection/run.ts";
import {
  type Experiment,
  type LabEngine,
  type LabOptions,
  type LabResult,
  labEngines,
  UnmetRequirement,
} from "./lab.ts";
import { runLimits } from "./limits/run.ts";
import { runLocks } from "./locks/run.ts";
import { runMutations } from "./mutations/run.ts";
import { runOutage } from "./outage/run.ts";
import { runPartition } from "./partition/run.ts";
import { runPolicyClosures } from "./policy-closures/run.ts";
import { type publishedExperiments, toResultName } from "./published-experiments.ts";
import { runRestore } from "./restore/run.ts";
import { runSearch } from "./search/run.ts";
import { runStorm } from "./storm/run.ts";
import { runUpgrade } from "./upgrade/run.ts";

const publishedRuns: Record<(typeof publishedExperiments)[number], Experiment> = {
  "crash-points": runCrashPoints,
  effects: runEffects,
  storm: runStorm,
  locks: runLocks,
  freeze: runFreeze,
  limits: runLimits,
  clock: runClock,
  failover: runFailover,
  outage: runOutage,
  restore: runRestore,
  upgrade: runUpgrade,
  channels: runChannels,
  partition: runPartition,
  mutations: runMutations,
  injection: runInjection,
  "policy-closures": runPolicyClosures,
};
const experiments: Readonly<Record<string, Experiment>> = {
  ...publishedRuns,
  cases: runKeptCases,
  search: runSearch,
  judge: rejudgeHistory,
};

const usageText = `npm run lab -- <name> [--seed N] [--engine NAME] [--quick] [--json] [--check] [--out DIR]

  <name>         ${Object.keys(experiments).join(", ")}
  --seed N       seed of the run (default: another one each time)
  --engine NAME  ${labEngines.join(" or ")} (default: postgres)
  --quick        run for a few minutes, for CI
  --json         print the result as one JSON object
  --check        exit with 1 if a rule is violated
  --out DIR      write the result into DIR

Some experiments also read --kills, --calls, --repeats, --points, --at, --from or --minutes.`;

const { values, positionals } = parseCommand({
  allowPositionals: true,
  options: {
    help: { type: "boolean" },
    seed: { type: "string" },
    engine: { type: "string", default: "postgres" },
    quick: { type: "boolean" },
    json: { type: "boolean" },
    check: { type: "boolean" },
    out: { type: "string" },
    kills: { type: "string" },
    calls: { type: "string" },
    repeats: { type: "string" },
    at: { type: "string" },
    from: { type: "string" },
    points: { type: "string" },
    minutes: { type: "string" },
  },
});
const [name = "", file] = positionals;
const experiment = experiments[name];
if (values.help) {
  process.stdout.write(`${usageText}\n`);
  process.exit(0);
}
if (!experiment) exitWithUsage(name === "" ? "Name an experiment." : `There is no experiment \`${name}\`.`);

const engine = labEngines.find((each) => each === values.engine);
if (!engine) exitWithUsage(`There is no engine \`${values.engine}\`.`);

const parseNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
const toOptional = <T>(key: string, value: T | undefined) => (value === undefined ? {} : { [key]: value });
// This runs before the experiment. It records the commit of the running code, and the machine's load without the
// experiment.
const measured = values.out === undefined ? undefined : await prepareOutput(values.out);
const result = await runExperiment({
  seed: parseNumber(values.seed) ?? Date.now() % 1_000_000,
  engine,
  quick: values.quick ?? false,
  ...toOptional("kills", parseNumber(values.kills)),
  ...toOptional("calls", parseNumber(values.calls)),
  ...toOptional("repeats", parseNumber(values.repeats)),
  ...toOptional("out", values.out),
  ...toOptional("at", values.at),
  ...toOptional("from", values.from),
  ...toOptional("minutes", parseNumber(values.minutes)),
  ...toOptional("points", values.points && (JSON.parse(await readFile(values.points, "utf8")) as string[])),
  ...toOptional("file", file),
  progress: printProgress,
});
printProgress("");
if (measured) await saveResult(measured, result, engine);
if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
else printResult(result);
process.exit(values.check && result.violations.length > 0 ? 1 : 0);

function parseCommand<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    exitWithUsage((error as Error).message);
  }
}

function exitWithUsage(message: string): never {
  process.stderr.write(`${message}\n\n${usageText}\n`);
  process.exit(2);
}

/** Runs the experiment. Exits with 77, which test runners read as skipped, if this machine cannot run it. */
async function runExperiment(options: LabOptions): Promise<LabResult> {
  try {
    return await experiment!(options);
  } catch (error) {
    if (!(error instanceof UnmetRequirement)) throw error;
    process.stderr.write(`Skipped \`${name}\`. ${error.message}\n`);
    process.exit(77);
  }
}

/** Prints one changing line on a terminal, and plain lines elsewhere. */
function printProgress(text: string): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\u001b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  else if (text !== "") process.stderr.write(`${text}\n`);
}

function printResult({
  run,
  seed,
  figures,
  targets,
  violations,
  timelines,
  histories = [],
}: LabResult): void {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${run} (seed ${seed})`);
  for (const [figure, value] of Object.entries(figures)) say(`  ${figure.padEnd(24)} ${value}`);
  if (targets) say(`\n${formatTargets("target", targets)}\n`);
  say(
    violations.length === 0
      ? styleText("green", "  0 violations")
      : styleText("red", `  ${violations.length} violations`),
  );
  for (const { rule, call, what } of violations.slice(0, 20)) say(`  ${rule.padEnd(14)} ${call} ${what}`);
  for (const [call, lines] of Object.entries(timelines))
    say(`\n  ${call}\n${lines.map((line) => `    ${line}`).join("\n")}`);
  for (const history of histories) say(`\n  history: ${history}`);
}

interface ResultOutput {
  readonly folder: string;
  readonly about: Machine;
}

async function prepareOutput(folder: string): Promise<ResultOutput> {
  await mkdir(folder, { recursive: true });
  return { folder, about: describeMachine(folder) };
}

/**
 * Writes the coverage and the figures of the run, with its commit, machine and command. docs/proof.md prints only
 * these.
 */
async function saveResult(
  { folder, about }: ResultOutput,
  result: LabResult,
  engine: LabEngine,
): Promise<void> {
  const { timelines: _timelines, histories: _histories, ...figures } = result;
  const command = `npm run lab -- ${process.argv
    .slice(2)
    .filter((word, index, all) => word !== "--out" && all[index - 1] !== "--out" && word !== "--json")
    .join(" ")}`;
  const at = new Date().toISOString();
  const kept = { ...figures, command, at, commit: about.commit, machine: about };
  await writeFile(join(folder, `${toResultName(name, engine)}.json`), `${JSON.stringify(kept, null, 2)}\n`);
}
