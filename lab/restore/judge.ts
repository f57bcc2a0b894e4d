import { judgeHistory, type Violation } from "../history/checker.ts";
import type { LabHistory, LedgerCall } from "../history/history.ts";
import { createViolation, filterPerformed } from "../history/history-index.ts";

/**
 * The rules that compare an effect with the votes and intents before it. They hold only for effects since the restore,
 * because the restored rows lack the votes and intents of effects that happened between the backup and the loss.
 */
const rulesAboutEarlierRows: readonly string[] = ["P5", "P7", "P13"];

/** Judges the history of a restored database. The oracle knows the effects from before the loss and from after it. */
export async function judgeRestore(history: LabHistory, restoredAt: number): Promise<Violation[]> {
  // The client also knows calls that were lost with the rows.
  const known = { ...history, client: [] };
  const sinceRestore = { ...known, oracle: known.oracle.filter(({ at }) => at >= restoredAt) };
  const isAboutEarlierRows = ({ rule }: Violation) => rulesAboutEarlierRows.includes(rule);
  return [
    ...(await judgeHistory(known)).filter((violation) => !isAboutEarlierRows(violation)),
    ...(await judgeHistory(sinceRestore)).filter(isAboutEarlierRows),
    ...findSecondEffects(history),
    ...findUnsettledDoubt(history, restoredAt),
  ];
}

/** [P7] Finds calls that acted twice. Only a natural effect may be repeated. */
function findSecondEffects({ oracle }: LabHistory): Violation[] {
  const byCall = Map.groupBy(filterPerformed(oracle), ({ call }) => call);
  return [...byCall].flatMap(([call, effects]) =>
    effects.length > 1 && effects.some(({ kind }) => kind !== "natural")
      ? [createViolation("once", call, `had ${effects.length} effects, ${effects[0]!.kind}`)]
      : [],
  );
}

/** [P7] Finds calls that acted before the loss and whose record now claims that they did not. */
function findUnsettledDoubt(history: LabHistory, restoredAt: number): Violation[] {
  const acted = new Set(filterPerformed(history.oracle).map(({ call }) => call));
  return listCallsInDoubt(history, restoredAt).flatMap(({ call, outcome }) =>
    acted.has(call) && outcome?.kind !== "succeeded" && outcome?.kind !== "unknown"
      ? [createViolation("restored", call, `acted before the loss and is ${outcome?.kind}`)]
      : [],
  );
}

/** Returns the calls that the restored rows showed as open. */
export function listCallsInDoubt({ ledger }: LabHistory, restoredAt: number): LedgerCall[] {
  return ledger.filter(
    ({ events, capability }) =>
      capability !== "free.read" &&
      !capability.startsWith("admin.") &&
      events[0]!.at < restoredAt &&
      (events.findLast(({ kind }) => kind === "closed")?.at ?? Number.POSITIVE_INFINITY) >= restoredAt,
  );
}
