import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Violation } from "../history/checker.ts";
import { type LabHistory, writeHistory } from "../history/history.ts";
import { buildTimeline } from "../history/timeline.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { summarizeHistories } from "./coverage.ts";

/**
 * Creates the result of a checked run. A run on several clusters has one history for each. The histories are saved if
 * `out` is set or a rule was broken.
 */
export async function finishRun(
  options: LabOptions,
  recorded: LabHistory | readonly [LabHistory, ...LabHistory[]],
  violations: readonly Violation[],
  figures: LabResult["figures"],
  covers: LabResult["covers"],
): Promise<LabResult> {
  const histories = "meta" in recorded ? ([recorded] as const) : recorded;
  const { run, seed } = histories[0].meta;
  const folder = options.out ?? (violations.length > 0 ? "lab/results" : undefined);
  const ledger = histories.flatMap((history) => history.ledger);
  const outcomes = Object.entries(Object.groupBy(ledger, ({ outcome }) => outcome?.kind ?? "open")).map(
    ([kind, calls]) => [kind, calls?.length ?? 0],
  );
  return {
    run,
    seed,
    figures: { ...figures, ...Object.fromEntries(outcomes) },
    violations,
    covers: [...covers, ...summarizeHistories(histories)],
    timelines: Object.fromEntries(
      [...new Set(violations.map(({ call }) => call))]
        .slice(0, 5)
        .map((call) => [call, buildTimeline(findHistory(histories, call), call)]),
    ),
    histories: folder === undefined ? [] : await saveHistories(folder, histories),
  };
}

/** Returns the history with this call. A violation that concerns no call belongs to the first history. */
function findHistory(histories: readonly [LabHistory, ...LabHistory[]], call: string): LabHistory {
  return histories.find(({ ledger }) => ledger.some((each) => each.call === call)) ?? histories[0];
}

/** Returns the names of the files. */
async function saveHistories(folder: string, histories: readonly LabHistory[]): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    histories.map(async (history, index) => {
      const { run, seed } = history.meta;
      const file = join(folder, `${run}-${seed}${index === 0 ? "" : `-${index + 1}`}.jsonl`);
      await writeHistory(file, history);
      return file;
    }),
  );
}
