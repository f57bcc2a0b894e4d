import type { LabOptions, LabResult } from "../lab.ts";
import { historyCoverage } from "../report/coverage.ts";
import { judge } from "./checker.ts";
import { readHistory } from "./history.ts";
import { timeline } from "./timeline.ts";

/** Judges a kept history again: a changed checker can be tried on old runs. */
export async function rejudge({ file }: LabOptions): Promise<LabResult> {
  if (file === undefined) throw new Error("Name the history to judge: npm run lab -- judge FILE");
  const history = await readHistory(file);
  const violations = await judge(history);
  const calls = [...new Set(violations.map(({ call }) => call))].slice(0, 5);
  return {
    run: history.meta.run,
    seed: history.meta.seed,
    figures: { calls: history.ledger.length, effects: history.oracle.length, answers: history.client.length },
    violations,
    covers: historyCoverage(history),
    timelines: Object.fromEntries(calls.map((call) => [call, timeline(history, call)])),
  };
}
