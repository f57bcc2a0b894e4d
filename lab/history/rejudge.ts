import type { LabOptions, LabResult } from "../lab.ts";
import { summarizeHistories } from "../report/coverage.ts";
import { judgeHistory } from "./checker.ts";
import { readHistory } from "./history.ts";
import { buildTimeline } from "./timeline.ts";

/** Checks a saved history again, so that a changed checker can run on old runs. */
export async function rejudgeHistory({ file }: LabOptions): Promise<LabResult> {
  if (file === undefined) throw new Error("Name the history to judge: npm run lab -- judge FILE");
  const history = await readHistory(file);
  const violations = await judgeHistory(history);
  const calls = [...new Set(violations.map(({ call }) => call))].slice(0, 5);
  return {
    run: history.meta.run,
    seed: history.meta.seed,
    figures: { calls: history.ledger.length, effects: history.oracle.length, answers: history.client.length },
    violations,
    covers: summarizeHistories([history]),
    timelines: Object.fromEntries(calls.map((call) => [call, buildTimeline(history, call)])),
  };
}
