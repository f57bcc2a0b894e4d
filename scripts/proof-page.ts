// The text of docs/proof.md. Every figure and every statement of coverage comes from the result file of its run.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarkNames, engineBenchmarks } from "../bench/benchmark-names.ts";
import type { BenchTarget } from "../bench/lib/target.ts";
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
  /** Speeds, for the few experiments that also measure one. */
  readonly targets?: readonly BenchTarget[];
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
  readonly targets: readonly BenchTarget[];
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
    formatLabTable(labs),
    formatBenchTable(benches),
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

/** One row for each experiment with a result. Its title leads to the section of the run. */
function formatLabTable(
  labs: readonly { readonly title: string; readonly file: LabFile | undefined }[],
): string {
  const rows = labs.flatMap(({ title, file }) => {
    if (!file) return [];
    const { figures, violations, targets = [] } = file;
    const calls = figures.calls ?? figures["calls made"];
    const count = violations.length === 0 ? "0" : `**${violations.length}**`;
    return `| ${formatLink(title)} | ${countFaults(figures)} | ${formatNumber(calls)} | ${count} | ${countAimsMet(targets)} | ${formatDate(file)} |`;
  });
  const head = [
    "| Experiment | Faults | Calls | Violations | Aims met | Measured |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  return ["## Results at a glance", [...head, ...rows].join("\n")].join("\n\n");
}

function formatBenchTable(
  benches: readonly { readonly title: string; readonly file: BenchFile | undefined }[],
): string {
  const rows = benches.flatMap(({ title, file }) => {
    if (!file) return [];
    const aims = countAimsMet(file.targets) || "no aim";
    return `| ${formatLink(formatBenchTitle(title, file))} | ${aims} | ${formatDate(file)} |`;
  });
  return ["| Benchmark | Aims met | Measured |", "| --- | --- | --- |", ...rows].join("\n");
}

/** Returns nothing if no target has an aim. */
function countAimsMet(targets: readonly BenchTarget[]): string {
  const judged = targets.filter(({ met }) => met !== undefined);
  return judged.length === 0 ? "" : `${judged.filter(({ met }) => met).length} of ${judged.length}`;
}

/** Names the figure that counts the faults of an experiment. An experiment that only kills counts each kind of victim. */
function countFaults(figures: LabFile["figures"]): string {
  for (const name of ["faults", "points tried", "clock jumps", "mutations"]) {
    const count = figures[name];
    if (count !== undefined) return `${formatNumber(count)} ${name}`;
  }
  const kills = Object.entries(figures).filter(([name]) => name.endsWith(" killed"));
  return kills.length === 0 ? "" : `${kills.reduce((sum, [, count]) => sum + Number(count), 0)} kills`;
}

const formatNumber = (value: number | string | undefined) =>
  typeof value === "number" ? value.toLocaleString("en-US") : (value ?? "");

const formatDate = ({ at, machine, commit = machine.commit }: ResultFile) =>
  `${at.slice(0, 10)}, \`${commit.slice(0, 8)}\``;

/** Links to a heading as GitHub and the site name it: in lower case, without punctuation, with hyphens for spaces. */
const formatLink = (title: string) =>
  `[${title}](#${title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-")})`;

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
    ...(file.targets ? [formatTargets(file.targets)] : []),
  ].join("\n\n");
}

function formatBenchSection(title: string, command: string, file: BenchFile): string {
  const { machine, othersCores, quick, engine } = file;
  // The benchmarks of a result without an engine had no option for it.
  const measured = engine === undefined ? command.replace(/ --engine .*/, "") : command;
  const others =
    othersCores === undefined
      ? ""
      : `, load average before ${machine.loadBefore}, others used ${othersCores.toFixed(2)} of ${machine.cores} cores`;
  return [
    `## ${formatBenchTitle(title, file)}`,
    formatCoverage(file),
    `\`npm run bench -- ${measured}${quick ? " --quick" : ""}\`, ${formatOrigin(file)}${others}.${file.conditions === undefined ? "" : ` ${file.conditions}`}`,
    formatTargets(file.targets),
  ].join("\n\n");
}

function formatTargets(targets: readonly BenchTarget[]): string {
  const rows = targets.map(
    ({ what, aim, measured, met }) =>
      `| ${what} | ${aim} | ${measured} | ${met === undefined ? "not judged" : met ? "met" : "missed"} |`,
  );
  return ["| Target | Aim | Measured | |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

const formatBenchTitle = (title: string, { performed }: BenchFile) =>
  `bench: ${title}${performed === undefined ? "" : `, performed ${performed}`}`;

/** Formats the coverage of a run. A result without recorded coverage claims none. */
function formatCoverage({ covers, machine, commit = machine.commit }: ResultFile): string {
  return covers === undefined || covers.length === 0
    ? `*Measured on an older commit (${commit}); coverage not recorded.*`
    : `<details>\n<summary>This run covered</summary>\n\n${covers.map((each) => `- ${each}`).join("\n")}\n\n</details>`;
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
