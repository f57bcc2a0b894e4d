// The text of docs/proof.md. Every figure and every statement of coverage comes from the result file of its run.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarkNames, engineBenchmarks } from "../bench/benchmark-names.ts";
import { labEngines } from "../lab/lab.ts";
import { engineExperiments, publishedExperiments, toResultName } from "../lab/published-experiments.ts";

interface MachineInfo {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly restate: string;
  readonly commit: string;
  readonly loadBefore: number;
  readonly fdatasync: { readonly p50: number };
  readonly postgres?: string;
}

interface ResultFile {
  readonly at: string;
  readonly machine: MachineInfo;
  /** Older results have the commit only in `machine`. */
  readonly commit?: string;
  /** Results of older versions of the laboratory have no coverage. */
  readonly covers?: readonly string[];
}

interface LabFile extends ResultFile {
  readonly seed: number;
  readonly command: string;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly violations: readonly { readonly rule: string; readonly what: string }[];
}

interface BenchFile extends ResultFile {
  /** The engine of the measured processes. Older results were measured on Restate and do not name it. */
  readonly engine?: string;
  readonly quick: boolean;
  /**
   * The part that performs the call: `where it arrives` or `by the worker`. Only the benchmark that compares both
   * records it.
   */
  readonly performed?: string;
  /** The number of cores that other processes used during the benchmark, if it was measured. */
  readonly othersCores?: number;
  /** A note about the state of the machine, by the person who ran the benchmark. */
  readonly conditions?: string;
  readonly targets: readonly {
    readonly what: string;
    readonly aim: string;
    readonly measured: string;
    readonly met?: boolean;
  }[];
}

const head = `# Proof

This page lists the experiments that try to break Paraph, and its benchmarks. \`npm run proof\` generates it from the
result files in [docs/proof/](proof/). Each run writes one file with its results and its coverage. The page states
nothing else about the run:

\`\`\`sh
npm run lab -- storm --engine postgres --out docs/proof   # or another experiment or engine
npm run bench -- call --engine postgres --out docs/proof  # or another benchmark or engine
npm run proof
\`\`\`

A result holds for the commit that it names. \`git diff COMMIT -- packages\` shows what changed since. The machine is
small and shared, so compare ratios rather than absolute figures.

In the laboratory, an **independent oracle** records every effect that it is asked for. It is a separate process with
its own synced file, and it knows nothing of Paraph's database. After a run, a checker compares the oracle, the
database and the log of the callers. It reports each broken rule as a violation, with the timeline of the call.
\`npm run lab -- judge FILE\` checks a stored history again.`;

const noExperiment = `## No experiment yet

- Slow disks.
- Partitions between real hosts. The hosts of \`partition\` are network namespaces of one machine, and all other
  experiments use its loopback interface.
- Clock jumps while processes are killed.
- Downgrades under load.
- Runs of several hours.
- A process that is frozen past its own deadline, between its last check and its request. It can act after it
  continues. Idempotency keys and conditional effects make that harmless, but a contract with idempotency \`none\` has no
  such protection.`;

/** Renders the page from the result files in `folder`. */
export function renderProofPage(folder: string): string {
  const labs = listRuns(publishedExperiments, engineExperiments).map((run) => ({
    ...run,
    file: readResult<LabFile>(folder, run.name),
  }));
  const benches = listRuns(benchmarkNames, engineBenchmarks).map((run) => ({
    ...run,
    file: readResult<BenchFile>(folder, `bench-${run.name}`),
  }));
  const missing = [
    ...labs.filter(({ file }) => !file).map(({ command }) => `npm run lab -- ${command} --out docs/proof`),
    ...benches
      .filter(({ file }) => !file)
      .map(({ command }) => `npm run bench -- ${command} --out docs/proof`),
  ];
  return `${[
    head,
    ...labs.flatMap(({ title, file }) => (file ? [formatLabSection(title, file)] : [])),
    ...benches.flatMap(({ title, command, file }) =>
      file ? [formatBenchSection(title, command, file)] : [],
    ),
    ...(missing.length > 0
      ? [`## No result yet\n\n${missing.map((command) => `- \`${command}\``).join("\n")}`]
      : []),
    noExperiment,
  ].join("\n\n")}\n`;
}

/** Lists the runs of the page. A name in `onEngines` has one run for each engine. */
function listRuns(
  names: readonly string[],
  onEngines: readonly string[],
): readonly { readonly name: string; readonly title: string; readonly command: string }[] {
  return names.flatMap((name) => {
    if (!onEngines.includes(name)) return [{ name, title: name, command: name }];
    return labEngines.map((engine) => ({
      name: toResultName(name, engine),
      title: `${name} on ${engine === "restate" ? "Restate" : "PostgreSQL"}`,
      command: `${name} --engine ${engine}`,
    }));
  });
}

function readResult<T>(folder: string, name: string): T | undefined {
  const path = join(folder, `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : undefined;
}

function formatLabSection(title: string, file: LabFile): string {
  const rows = Object.entries(file.figures).map(([figure, value]) => `| ${figure} | ${value} |`);
  const verdict =
    file.violations.length === 0
      ? "**0 violations.**"
      : `**${file.violations.length} violations:** ${file.violations.map(({ rule, what }) => `${rule}: ${what}`).join("; ")}.`;
  return [
    `## ${title}`,
    formatCoverage(file),
    `${verdict} \`${file.command}\`, seed ${file.seed}, ${formatOrigin(file)}.`,
    ["| Figure | |", "| --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

function formatBenchSection(title: string, command: string, file: BenchFile): string {
  const rows = file.targets.map(
    ({ what, aim, measured, met }) =>
      `| ${what} | ${aim} | ${measured} | ${met === undefined ? "not judged" : met ? "met" : "missed"} |`,
  );
  const { performed, machine, othersCores, quick, engine } = file;
  // The benchmarks of a result without an engine had no option for it.
  const measured = engine === undefined ? command.replace(/ --engine .*/, "") : command;
  const others =
    othersCores === undefined
      ? ""
      : `, load average before ${machine.loadBefore}, others used ${othersCores.toFixed(2)} of ${machine.cores} cores`;
  return [
    `## bench: ${title}${performed === undefined ? "" : `, performed ${performed}`}`,
    formatCoverage(file),
    `\`npm run bench -- ${measured}${quick ? " --quick" : ""}\`, ${formatOrigin(file)}${others}.${file.conditions === undefined ? "" : ` ${file.conditions}`}`,
    ["| Target | Aim | Measured | |", "| --- | --- | --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

/** Formats the coverage of a run. A result without recorded coverage claims none. */
function formatCoverage({ covers, machine, commit = machine.commit }: ResultFile): string {
  return covers === undefined || covers.length === 0
    ? `*Measured on an older commit (${commit}); coverage not recorded.*`
    : `This run covered:\n\n${covers.map((each) => `- ${each}`).join("\n")}`;
}

function formatOrigin({ at, machine, commit = machine.commit }: ResultFile): string {
  const { cpu, cores, memoryGiB, node, restate, fdatasync, postgres } = machine;
  return [
    `commit ${commit}`,
    `${at.slice(0, 16)} UTC`,
    `${cores} cores (${cpu})`,
    `${memoryGiB} GiB`,
    `fdatasync ${fdatasync.p50.toFixed(2)} ms`,
    `Node ${node}`,
    `Restate ${restate}`,
    ...(postgres === undefined ? [] : [`PostgreSQL ${postgres}`]),
  ].join(", ");
}
