import { type Bounds, isWithinBounds } from "@paraph/core";
import type { LedgerCall } from "./history.ts";
import {
  createViolation,
  filterEvents,
  filterPerformed,
  type HistoryIndex,
  type Violation,
} from "./history-index.ts";

/**
 * [P11] Checks that, where policy requires a check, an effect follows a passed check. A check that fails or cannot run
 * refuses the call.
 */
export function checksPassed({ ledger, effectsOf, skew }: HistoryIndex): Violation[] {
  return ledger.flatMap((call) => {
    if (!call.capability.startsWith("checked.")) return [];
    const effects = effectsOf(call.call);
    const { name } = call.payloads.input!.value as { name: string };
    if (effects.length > 0 && /^(bad|broken)-/.test(name))
      return [createViolation("P11", call.call, "had an effect that no check could have let pass")];
    return effects.flatMap(({ at }) => {
      const checked = filterEvents(call, "checked").findLast((event) => event.at <= at + skew);
      const results = (checked?.data.results ?? []) as { passed: boolean; error?: boolean }[];
      const passed = results.length > 0 && results.every((result) => result.passed && !result.error);
      return passed ? [] : [createViolation("P11", call.call, "had an effect before its check had passed")];
    });
  });
}

/**
 * [TRUST 15] Checks that each intent that names a grant spends it exactly once, and that the grant is never exceeded.
 * The grant must also cover each such call.
 */
export function grantsAreExact({ ledger, gates, meta, effectsOf }: HistoryIndex): Violation[] {
  if (!gates) return [];
  const given = (meta.granted ?? {}) as Readonly<Record<string, { count: number; amount?: number }>>;
  return gates.grants.flatMap(({ id, bounds, countLeft, amountLeft, intents, amount }) => {
    const users = ledger.filter((call) => usesGrant(call, id));
    const outside = users.filter(
      ({ payloads }) => !isWithinBounds(JSON.parse(bounds) as Bounds, payloads.input!.value),
    );
    const spread = outside.map(({ call }) =>
      createViolation("TRUST 15", call, `used \`${id}\`, which does not cover it`),
    );
    const total = given[id];
    if (!total) return spread;
    const acted = users.filter(({ call }) => filterPerformed(effectsOf(call)).length > 0).length;
    const named = users.flatMap((call) => listGrantIntents(call, id)).length;
    const found = [
      ...(acted > total.count ? [`was given for ${total.count} calls, and ${acted} had an effect`] : []),
      ...(total.count - countLeft !== intents || named !== intents
        ? [`lost ${total.count - countLeft}, while ${intents} intents rest on it and ${named} events say so`]
        : []),
      ...(total.amount !== undefined && total.amount - (amountLeft ?? 0) !== amount
        ? [`lost an amount of ${total.amount - (amountLeft ?? 0)}, while its intents came to ${amount}`]
        : []),
    ];
    return [...spread, ...found.map((what) => createViolation("TRUST 15", id, what))];
  });
}

const usesGrant = (call: LedgerCall, grant: string) =>
  filterEvents(call, "intended").some(({ data }) => data.grant === grant);

/** Returns the intents that name the grant, except those whose attempt was certainly not performed. */
function listGrantIntents(call: LedgerCall, grant: string): LedgerCall["events"] {
  const given = filterEvents(call, "attempted")
    .filter(({ data }) => data.as === "not-performed")
    .map(({ data }) => data.attempt);
  return filterEvents(call, "intended").filter(
    ({ data }) => data.grant === grant && !given.includes(data.attempt),
  );
}

/**
 * Checks that the recorded spending equals the oracle's charges plus the reserved amounts of unknown outcomes. No other
 * reservation may remain.
 */
export function spendingIsReal(index: HistoryIndex): Violation[] {
  const { ledger, gates, calls, meta } = index;
  // A clock that jumps a month ends windows and discards their counts.
  if (!gates || meta.timeless) return [];
  const kept = gates.reservations.flatMap(({ call, kind }) => {
    const outcome = calls.get(call)?.outcome;
    const isUnknown = outcome?.kind === "unknown" && calls.get(call)?.resolution === undefined;
    const mayKeep = outcome === undefined || (isUnknown && kind === "money");
    return mayKeep
      ? []
      : [createViolation("limits", call, `is ${outcome.kind} and still holds a reservation of ${kind}`)];
  });
  const places = gates.usage.filter(({ key, used }) => key.startsWith("concurrency:") && used !== 0);
  const spenders = Object.entries(Object.groupBy(ledger, ({ principal }) => principal.id));
  const wrong = spenders.flatMap(([principal, own = []]) => {
    const counted = gates.usage.find(({ key }) => key === `spent:${principal}`)?.used ?? 0;
    const real = sumSpent(own, index);
    return counted === real
      ? []
      : [createViolation("limits", principal, `is counted as having spent ${counted}, and spent ${real}`)];
  });
  return [
    ...kept,
    ...wrong,
    ...places.map(({ key, used }) =>
      createViolation("limits", key, `has ${used} places taken with nobody in them`),
    ),
  ];
}

/** Sums what the oracle charged. For an unknown outcome, adds the reserved amount. */
export function sumSpent(
  calls: readonly LedgerCall[],
  { effectsOf }: Pick<HistoryIndex, "effectsOf">,
): number {
  return calls
    .map((call) => {
      if (call.outcome?.kind === "unknown")
        return call.resolution?.finding === "not-happened" ? 0 : readCents(call);
      return filterPerformed(effectsOf(call.call)).reduce((sum, { spent = 0 }) => sum + spent, 0);
    })
    .reduce((sum, spent) => sum + spent, 0);
}

function readCents({ payloads }: LedgerCall): number {
  const { cents = 0 } = (payloads.input?.value ?? {}) as { cents?: number };
  return cents;
}
