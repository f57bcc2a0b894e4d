import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Violation } from "../history/checker.ts";
import type { SearchTrial } from "../search/run-trial.ts";

const casesFolder = "lab/cases";

/** A trial that once broke a rule. CI repeats it with every change. */
export interface KeptCase extends SearchTrial {
  readonly violations: readonly Violation[];
  /** The commit on which the trial broke the rule. */
  readonly commit: string;
}

/** Writes the case to a file and returns the file's path. */
export async function saveCase(found: KeptCase): Promise<string> {
  const file = join(casesFolder, `${found.experiment}-${found.seed}.json`);
  await mkdir(casesFolder, { recursive: true });
  await writeFile(
    file,
    `${JSON.stringify({ ...found, violations: found.violations.slice(0, 5) }, null, 2)}\n`,
  );
  return file;
}

export async function readCases(): Promise<{ file: string; kept: KeptCase }[]> {
  const files = (await readdir(casesFolder)).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(
    files.map(async (file) => ({
      file,
      kept: JSON.parse(await readFile(join(casesFolder, file), "utf8")) as KeptCase,
    })),
  );
}
