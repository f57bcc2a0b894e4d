import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The trials of one commit. The next search of that commit continues from here. */
export interface SearchLedger {
  readonly commit: string;
  runs: Record<string, number>;
  known: Record<string, readonly string[]>;
  tried: Record<string, readonly string[]>;
}

const readCurrentCommit = () =>
  execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
const toLedgerFile = (commit: string) => `lab/results/search-${commit}.json`;

export async function openLedger(): Promise<SearchLedger> {
  const commit = readCurrentCommit();
  const kept = await readFile(toLedgerFile(commit), "utf8").catch(() => undefined);
  return kept ? (JSON.parse(kept) as SearchLedger) : { commit, runs: {}, known: {}, tried: {} };
}

export async function saveLedger(ledger: SearchLedger): Promise<void> {
  const file = toLedgerFile(ledger.commit);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(ledger, null, 2)}\n`);
}
