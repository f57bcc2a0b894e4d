import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Violation } from "../history/checker.ts";
import { type LabHistory, writeHistory } from "../history/history.ts";
import { buildTimeline } from "../history/timeline.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { summarizeHistory } from "./coverage.ts";

/** Creates the result of a checked run. The history is saved if `out` is set or a rule was broken. */
export async function finishRun(
  options: LabOptions,
  history: LabHistory,
  violations: readonly Violation[],
  figures: LabResult["figures"],
  covers: LabResult["covers"],
): Promise<LabResult> {
  const { run, seed } = history.meta;
  const folder = options.out ?? (violations.length > 0 ? "lab/results" : undefined);
  const file = folder === undefined ? undefined : join(folder, `${run}-${seed}.jsonl`);
  const outcomes = Object.entries(
    Object.groupBy(history.ledger, ({ outcome }) => outcome?.kind ?? "open"),
  ).map(([kind, calls]) => [kind, calls?.length ?? 0]);
  const result: LabResult = {
    run,
    seed,
    figures: { ...figures, ...Object.fromEntries(outcomes) },
    violations,
    covers: [...covers, ...summarizeHistory(history)],
    timelines: Object.fromEntries(
      [...new Set(violations.map(({ call }) => call))]
        .slice(0, 5)
        .map((call) => [call, buildTimeline(history, call)]),
    ),
    ...(file !== undefined && { history: file }),
  };
  if (folder !== undefined && file !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeHistory(file, history);
  }
  return result;
}
