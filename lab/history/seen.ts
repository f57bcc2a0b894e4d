import type { RecordedEvent } from "@paraph/core";
import type { History, LedgerCall } from "./history.ts";

/** A rule that did not hold, for which call. */
export interface Violation {
  readonly rule: string;
  readonly call: string;
  readonly what: string;
}

/** A history with what every rule looks up. */
export interface Seen extends History {
  readonly calls: ReadonlyMap<string, LedgerCall>;
  readonly effectsOf: (call: string) => History["oracle"];
  /** How far the witnesses' clocks may differ: those of one machine by a round trip, a moved one by anything. */
  readonly skew: number;
}

export function index(history: History): Seen {
  const effects = Map.groupBy(history.oracle, ({ call }) => call);
  return {
    ...history,
    calls: new Map(history.ledger.map((call) => [call.call, call])),
    effectsOf: (call) => effects.get(call) ?? [],
    skew: history.meta.timeless ? Number.POSITIVE_INFINITY : 250,
  };
}

export const performed = (records: History["oracle"]) =>
  records.filter(({ verdict }) => verdict === "performed");
export const breaks = (rule: string, call: string, what: string): Violation => ({ rule, call, what });
export const eventsOf = (call: LedgerCall, kind: RecordedEvent["kind"]) =>
  call.events.filter((event) => event.kind === kind);
