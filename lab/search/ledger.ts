import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The trials of one commit. The next search of that commit continues from here. */
export interface Ledger {
  readonly commit: string;
  runs: Record<string, number>;
  known: Record<string, readonly string[]>;
  struck: Record<string, readonly string[]>;
}

const currentCommit = () =>
  execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
const fileFor = (commit: string) => `lab/results/search-${commit}.json`;

export async function openLedger(): Promise<Ledger> {
  const commit = currentCommit();
  const kept = await readFile(fileFor(commit), "utf8").catch(() => undefined);
  return kept ? (JSON.parse(kept) as Ledger) : { commit, runs: {}, known: {}, struck: {} };
}

export async function saveLedger(ledger: Ledger): Promise<void> {
  const file = fileFor(ledger.commit);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(ledger, null, 2)}\n`);
}
