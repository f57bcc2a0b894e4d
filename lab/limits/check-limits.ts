import { sumSpent } from "../history/gates.ts";
import type { LabHistory, LedgerCall } from "../history/history.ts";
import { createViolation, filterPerformed, indexHistory, type Violation } from "../history/history-index.ts";

export interface LimitBounds {
  readonly calls: number;
  readonly money: number;
  readonly concurrency: number;
  readonly grants: number;
  readonly granted: number;
}

/**
 * Checks by the oracle's count that no limit was exceeded, and that the final counts in the rows agree with the oracle.
 */
export function checkLimits(history: LabHistory, bounds: LimitBounds): Violation[] {
  const index = indexHistory(history);
  const of = (pattern: string) => history.ledger.filter(({ capability }) => capability.startsWith(pattern));
  const [costly, budgeted] = [of("costly."), of("costly.keyed")];
  const taken = (calls: readonly LedgerCall[]) =>
    filterPerformed(history.oracle)
      .filter(({ call }) => isIncluded(calls, call))
      .reduce((sum, { spent = 0 }) => sum + spent, 0);
  const counted = (name: string) => history.gates?.usage.find(({ key }) => key.endsWith(`:${name}:`))?.used;
  const peak = computePeak(history);
  const found = [
    describeExcess("calls", costly.length, bounds.calls),
    describeExcess("cents", taken(budgeted), bounds.money),
    describeExcess("cents on the grant", taken(of("asked.")), bounds.granted),
    describeExcess("at once", peak, bounds.concurrency),
    describeMismatch("calls", counted("calls:calls"), costly.length),
    describeMismatch("cents", counted("money:money"), sumSpent(budgeted, index)),
    ...findUntested(history, bounds, counted("money:money") ?? 0),
  ];
  return found.filter((what) => what !== undefined).map((what) => createViolation("limits", "-", what));
}

const describeExcess = (what: string, real: number, max: number) =>
  real > max ? `${real} ${what}, of ${max} allowed` : undefined;

const describeMismatch = (what: string, counted: number | undefined, real: number) =>
  counted === real ? undefined : `${counted} ${what} are counted, and ${real} were real`;

/** Returns the limits that the run did not reach. Such a run proves nothing about them. */
function findUntested({ ledger }: LabHistory, { calls, money }: LimitBounds, spent: number): string[] {
  const waited = ledger.some(({ events }) =>
    events.some(({ kind, data }) => kind === "delayed" && data.limit === "places"),
  );
  const costly = ledger.filter(({ capability }) => capability.startsWith("costly.")).length;
  return [
    ...(costly < calls ? [`only ${costly} calls were made, of ${calls} allowed`] : []),
    ...(spent < money * 0.9 ? [`only ${spent} cents were spent, of ${money} allowed`] : []),
    ...(waited ? [] : ["nobody had to wait for a place"]),
    ...(ledger.some(({ outcome }) => outcome?.kind === "denied") ? [] : ["the grant was never used up"]),
  ];
}

/**
 * Returns the highest number of concurrent effects under the concurrency limit. After a process died, the oracle may
 * still work on an attempt that its call has given up. Such effects hold no place in the limit and are not counted.
 */
export function computePeak({ ledger, oracle }: LabHistory): number {
  const held = ledger.filter(
    ({ capability, events }) =>
      capability.startsWith("costly.") &&
      !events.some(({ kind, data }) => kind === "attempted" && data.as === "lost"),
  );
  const turns = oracle
    .filter(({ call, began }) => began !== undefined && isIncluded(held, call))
    .flatMap(({ began = 0, at }) => [
      { at: began, by: 1 },
      { at, by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.by - b.by);
  let [now, peak] = [0, 0];
  for (const { by } of turns) {
    now += by;
    peak = Math.max(peak, now);
  }
  return peak;
}

const isIncluded = (calls: readonly LedgerCall[], id: string) => calls.some(({ call }) => call === id);
