import type { RecordedEvent } from "@paraph/core";
import type { LabHistory, LedgerCall } from "./history.ts";

/** A violation of one rule by one call. */
export interface Violation {
  readonly rule: string;
  readonly call: string;
  readonly what: string;
}

/** A history with the lookups that the rules need. */
export interface HistoryIndex extends LabHistory {
  readonly calls: ReadonlyMap<string, LedgerCall>;
  readonly effectsOf: (call: string) => LabHistory["oracle"];
  /**
   * The maximum difference between the clocks, in milliseconds. It allows for a round trip on one machine, and is
   * infinite if a clock was moved.
   */
  readonly skew: number;
}

export function indexHistory(history: LabHistory): HistoryIndex {
  const effects = Map.groupBy(history.oracle, ({ call }) => call);
  return {
    ...history,
    calls: new Map(history.ledger.map((call) => [call.call, call])),
    effectsOf: (call) => effects.get(call) ?? [],
    skew: history.meta.timeless ? Number.POSITIVE_INFINITY : 250,
  };
}

export const filterPerformed = (records: LabHistory["oracle"]) =>
  records.filter(({ verdict }) => verdict === "performed");
export const createViolation = (rule: string, call: string, what: string): Violation => ({
  rule,
  call,
  what,
});
export const filterEvents = (call: LedgerCall, kind: RecordedEvent["kind"]) =>
  call.events.filter((event) => event.kind === kind);
