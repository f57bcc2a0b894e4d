import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LabEngine } from "../../lab/lab.ts";
import { toResultName } from "../../lab/published-experiments.ts";
import type { describeMachine } from "./machine.ts";
import type { BenchOptions } from "./options.ts";
import { formatFigure } from "./table.ts";
import { areAllMet, type BenchTarget } from "./target.ts";

/**
 * Prints the result for people and programs, and saves it if `out` is set. Resolves with whether every target was met.
 */
export async function concludeBenchmark(
  options: BenchOptions,
  about: ReturnType<typeof describeMachine>,
  found: {
    readonly name: string;
    /** The engine of the measured processes, if the benchmark starts any. */
    readonly engine?: LabEngine;
    readonly report: string;
    /** Short statements of the measurements, made by the code that ran. docs/proof.md prints them. */
    readonly covers: readonly string[];
    readonly targets: readonly BenchTarget[];
    readonly measured: object;
  },
): Promise<boolean> {
  const { name, engine, report, covers, targets, measured } = found;
  const { cpu, cores, node, loadBefore } = about;
  const say = options.json ? console.error : console.log;
  say(
    `\n${report}\n\n${engine ? `engine ${engine}; ` : ""}${cpu}, ${cores} cores, Node ${node}; load average before the run ${formatFigure(loadBefore)}`,
  );
  const at = new Date().toISOString();
  const { commit } = about;
  const head = { name, ...(engine && { engine }), at, quick: options.quick, commit, covers };
  const result = { ...head, machine: about, ...measured, targets };
  if (options.out !== undefined) {
    await mkdir(options.out, { recursive: true });
    const file = toResultName(`bench-${name}`, engine ?? "postgres");
    await writeFile(join(options.out, `${file}.json`), `${JSON.stringify(result, null, 2)}\n`);
  }
  if (options.json) console.log(JSON.stringify(result));
  return areAllMet(targets);
}
