import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { machine } from "./machine.ts";
import type { Options } from "./options.ts";
import { figure } from "./table.ts";
import { allMet, type Target } from "./target.ts";

/** Tells people and programs what was measured, and keeps it where that was asked for. Resolves with whether every target was met. */
export async function conclude(
  options: Options,
  about: ReturnType<typeof machine>,
  found: {
    readonly name: string;
    readonly report: string;
    /** Short statements of the measurements, made by the code that ran. docs/proof.md prints them. */
    readonly covers: readonly string[];
    readonly targets: readonly Target[];
    readonly measured: object;
  },
): Promise<boolean> {
  const { name, report, covers, targets, measured } = found;
  const { cpu, cores, node, loadBefore } = about;
  const say = options.json ? console.error : console.log;
  say(
    `\n${report}\n\n${cpu}, ${cores} cores, Node ${node}; load average before the run ${figure(loadBefore)}`,
  );
  const at = new Date().toISOString();
  const { commit } = about;
  const result = { name, at, quick: options.quick, commit, covers, machine: about, ...measured, targets };
  if (options.out !== undefined) {
    await mkdir(options.out, { recursive: true });
    await writeFile(join(options.out, `bench-${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  }
  if (options.json) console.log(JSON.stringify(result));
  return allMet(targets);
}
