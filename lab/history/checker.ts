import { committedPayloads, type Json, type Preview, sameJson, verifyReceipt } from "@paraph/core";
import { effectDigest } from "../process/config.ts";
import { freezesHold } from "./freezes.ts";
import { checksPassed, grantsAreExact, spendingIsReal } from "./gates.ts";
import type { LabHistory, LedgerCall } from "./history.ts";
import {
  createViolation,
  filterEvents,
  filterPerformed,
  type HistoryIndex,
  indexHistory,
  type Violation,
} from "./history-index.ts";
import { observedOnce } from "./observations.ts";
import {
  checkInheritedApproval,
  isPlan,
  plansMatchTheirSteps,
  stepsAreTakenOnce,
  undoIsInReverse,
} from "./plans.ts";
import { actionsAreKept, findingsHold, messagesAreOnRecord, successionIsOne } from "./succession.ts";
import { webhooksAreDelivered } from "./webhooks.ts";

export type { Violation } from "./history-index.ts";

const rules = [
  acknowledgedIsKept,
  endsOnce,
  eventsAreWhole,
  receiptMatchesRows,
  noEffectWithoutIntent,
  effectsAreSingle,
  noEffectWhereNone,
  effectsAreApproved,
  successIsReal,
  unknownIsHonest,
  votesAreTimely,
  locksExclude,
  nothingIsLeft,
  checksPassed,
  grantsAreExact,
  spendingIsReal,
  freezesHold,
  successionIsOne,
  findingsHold,
  actionsAreKept,
  messagesAreOnRecord,
  webhooksAreDelivered,
  observedOnce,
  stepsAreTakenOnce,
  plansMatchTheirSteps,
  undoIsInReverse,
  enoughSucceeded,
];

/** The names of the rules, for the description of a run. */
export const checkedRules: readonly string[] = rules.map(({ name }) => name);

/**
 * Compares the records of the client, the oracle and the ledger. Each rule is a function that returns its violations.
 */
export async function judgeHistory(history: LabHistory): Promise<Violation[]> {
  const index = indexHistory(history);
  const found = await Promise.all(rules.map((rule) => rule(index)));
  return found.flat();
}

const readIdempotency = ({ capability }: LedgerCall) => capability.split(".")[1] ?? "";
/**
 * Whether the oracle can observe the call's effect. An administrative call has no effect at the oracle, and a plan acts
 * only through its steps.
 */
const isSeenOutside = (call: LedgerCall) => !call.capability.startsWith("admin.") && !isPlan(call);

/**
 * [P1] Checks that the ledger has every acknowledged call under the same key, and that each key belongs to only one
 * call.
 */
function acknowledgedIsKept({ client, calls }: HistoryIndex): Violation[] {
  const byKey = new Map<string, string>();
  return client.flatMap((record) => {
    if (record.kind !== "answered" || record.call === undefined || record.status >= 300) return [];
    const row = calls.get(record.call);
    if (!row)
      return [createViolation("acknowledged", record.call, "was acknowledged and is not in the ledger")];
    if (row.key !== record.key)
      return [createViolation("P1", record.call, "was acknowledged for another key")];
    const earlier = byKey.get(record.key);
    byKey.set(record.key, record.call);
    if (earlier !== undefined && earlier !== record.call)
      return [createViolation("P1", record.call, `shares its key with ${earlier}`)];
    if (record.state === "closed" && row.outcome?.kind !== record.outcome)
      return [
        createViolation(
          "P2",
          record.call,
          `was told ${record.outcome}, the ledger says ${row.outcome?.kind}`,
        ),
      ];
    return [];
  });
}

/** [P2] Checks that each call has exactly one outcome and one receipt. */
function endsOnce({ ledger }: HistoryIndex): Violation[] {
  return ledger.flatMap((call) => {
    if (call.state !== "closed" || !call.outcome)
      return [createViolation("P2", call.call, `never ended: ${call.state}`)];
    const ends = filterEvents(call, "closed").length;
    if (ends !== 1) return [createViolation("P2", call.call, `ended ${ends} times`)];
    return call.receipts.length === 1
      ? []
      : [createViolation("P2", call.call, `has ${call.receipts.length} receipts`)];
  });
}

function eventsAreWhole({ ledger }: HistoryIndex): Violation[] {
  return ledger.flatMap((call) => {
    const gap = call.events.findIndex((event, position) => event.seq !== position + 1);
    if (gap >= 0) return [createViolation("ledger", call.call, `event ${gap + 1} is missing`)];
    const asked = filterEvents(call, "asked").length;
    const answered = filterEvents(call, "round-closed").filter(({ data }) => data.status !== "void").length;
    return answered <= asked ? [] : [createViolation("ledger", call.call, "has more answers than questions")];
  });
}

/** Checks that the receipt verifies and agrees with the rows. */
async function receiptMatchesRows({ ledger, meta }: HistoryIndex): Promise<Violation[]> {
  const each = await Promise.all(
    ledger.map(async (call) => {
      const [envelope] = call.receipts;
      if (!envelope) return [];
      try {
        const bundle = {
          mediaType: "application/vnd.paraph.receipt.v1+json",
          envelope,
          disclosures: committedPayloads(call.payloads),
        };
        const { story } = await verifyReceipt(bundle, meta.keys);
        // The receipt is signed before a resolution exists, so it does not contain the `resolved` event.
        const told = call.events.filter(({ kind }) => kind !== "resolved");
        const same =
          sameJson(story.events as unknown as Json, told as unknown as Json) &&
          story.outcome.kind === call.outcome?.kind;
        return same ? [] : [createViolation("receipt", call.call, "signs another story than the rows tell")];
      } catch (error) {
        return [
          createViolation("receipt", call.call, error instanceof Error ? error.message : "does not verify"),
        ];
      }
    }),
  );
  return each.flat();
}

/** [P7] Checks that an intent is durable before each effect, and that the ledger has the call of each effect. */
function noEffectWithoutIntent({ oracle, calls, skew }: HistoryIndex): Violation[] {
  return oracle.flatMap(({ call, at }) => {
    const row = calls.get(call);
    if (!row) return [createViolation("P7", call, "had an effect and is not in the ledger")];
    const intents = filterEvents(row, "intended").filter((event) => event.at <= at + skew);
    return intents.length > 0 ? [] : [createViolation("P7", call, "had an effect before any intent")];
  });
}

/**
 * Checks that a call has at most one effect. A call with natural idempotency may repeat its effect, at most once for
 * each intent.
 */
function effectsAreSingle({ ledger, effectsOf }: HistoryIndex): Violation[] {
  return ledger.flatMap((call) => {
    const effects = effectsOf(call.call);
    const done = filterPerformed(effects).length;
    if (effects.length > filterEvents(call, "intended").length)
      return [
        createViolation(
          "P7",
          call.call,
          `asked for ${effects.length} effects with ${filterEvents(call, "intended").length} intents`,
        ),
      ];
    const max = readIdempotency(call) === "natural" ? filterEvents(call, "intended").length : 1;
    return done <= max ? [] : [createViolation("once", call.call, `had ${done} effects`)];
  });
}

/** [P4] Checks that a denied, expired, refused, failed, superseded or cancelled call had no effect. */
function noEffectWhereNone({ ledger, effectsOf }: HistoryIndex): Violation[] {
  return ledger.flatMap((call) => {
    const quiet = ["denied", "expired", "refused", "failed", "superseded", "cancelled"].includes(
      call.outcome?.kind ?? "",
    );
    return quiet && filterPerformed(effectsOf(call.call)).length > 0
      ? [createViolation("P4", call.call, `is ${call.outcome?.kind} and had an effect`)]
      : [];
  });
}

/**
 * [P5] Checks that each effect that needs an approval follows an approved round for exactly this effect, or uses a
 * grant.
 */
function effectsAreApproved(index: HistoryIndex): Violation[] {
  const { ledger, effectsOf, skew } = index;
  return ledger.flatMap((call) => {
    if (!/^(asked|quick|paired|renewed|own_asked)\./.test(call.capability)) return [];
    if (filterEvents(call, "intended").some(({ data }) => data.grant !== undefined)) return [];
    if (call.parent && !call.approval) return checkInheritedApproval(call, index);
    const input = call.payloads.input?.value as { name: string };
    const preview = call.payloads.preview?.value as unknown as Preview;
    return effectsOf(call.call).flatMap(({ at, digest }) => {
      const approved = filterEvents(call, "round-closed").findLast(
        (event) => event.data.status === "approved" && event.at <= at + skew,
      );
      if (!approved) return [createViolation("P5", call.call, "had an effect that nobody had approved")];
      const votes = filterEvents(call, "voted").filter(
        (event) => event.data.digest === approved.data.digest && event.data.decision === "approve",
      );
      if (votes.length === 0)
        return [createViolation("P5", call.call, "has an approved round that nobody voted for")];
      const needed = Math.max(1, ...(call.approval?.guards ?? []).map(({ quorum }) => quorum));
      if (new Set(votes.map(({ data }) => data.by)).size < needed)
        return [createViolation("P5", call.call, "was approved by fewer people than were asked for")];
      if (approved.data.digest !== call.approval?.digest)
        return [createViolation("P5", call.call, "was performed under an older round than its last")];
      return digest === effectDigest(input.name, preview.basis)
        ? []
        : [createViolation("P5", call.call, "did something else than was approved")];
    });
  });
}

function successIsReal({ ledger, effectsOf }: HistoryIndex): Violation[] {
  return ledger.flatMap((call) => {
    const acts =
      readIdempotency(call) !== "read" && isSeenOutside(call) && call.outcome?.kind === "succeeded";
    return acts && filterPerformed(effectsOf(call.call)).length === 0
      ? [createViolation("P2", call.call, "succeeded without an effect")]
      : [];
  });
}

/**
 * Checks that an outcome is unknown only if Paraph did not observe the end of an attempt. In addition, the contract
 * must have no key or probe, or these must be exhausted.
 */
function unknownIsHonest({ ledger }: HistoryIndex): Violation[] {
  const givenOut = [
    "lost-too-often",
    "crashed-repeatedly",
    "key-expired",
    "probe-unsure",
    "contract-changed",
    "restored",
  ];
  return ledger.flatMap((call) => {
    if (call.outcome?.kind !== "unknown" || givenOut.includes(call.outcome.code) || isPlan(call)) return [];
    const unseen = filterEvents(call, "attempted").some(
      ({ data }) => data.as === "lost" || data.as === "ambiguous",
    );
    if (!unseen)
      return [createViolation("unknown", call.call, "is unknown although every attempt's end was seen")];
    const exhausted =
      filterEvents(call, "attempted").filter(({ data }) => data.as === "ambiguous").length > 3;
    // A repeated attempt failed permanently. This does not show whether the earlier attempt had its effect.
    const refused = filterEvents(call, "attempted").at(-1)?.data.as === "permanent";
    return readIdempotency(call) === "none" || exhausted || refused
      ? []
      : [createViolation("unknown", call.call, `is unknown although it is ${readIdempotency(call)}`)];
  });
}

/**
 * [P15] Checks that a vote counts only before the end of its round, and that the ledger has every acknowledged
 * decision.
 */
function votesAreTimely({ ledger, client, skew }: HistoryIndex): Violation[] {
  const approvals = new Map(
    ledger.flatMap((call) => (call.approval ? [[call.approval.id, call] as const] : [])),
  );
  const late = ledger.flatMap((call) =>
    (call.approval?.votes ?? [])
      .filter((vote) => vote.at > call.approval!.expiresAt + skew)
      .map(() => createViolation("P15", call.call, "counted a vote after its round's end")),
  );
  const lost = client.flatMap((record) => {
    if (record.kind !== "decided" || record.status !== 200) return [];
    const call = approvals.get(record.approval);
    // A voided round is no longer the call's latest round. Its votes remain only in the events.
    if (!call) return [];
    const kept = call.events.some(
      ({ kind, data }) =>
        kind === "voted" && data.digest === record.digest && data.decision === record.decision,
    );
    return kept ? [] : [createViolation("acknowledged", call.call, "lost a decision that was acknowledged")];
  });
  return [...late, ...lost];
}

/** Checks that calls which share a lock key hold it one after another. */
function locksExclude({ ledger, meta }: HistoryIndex): Violation[] {
  if (meta.timeless) return [];
  const spans = ledger.flatMap((call) => {
    const at = call.events.findLastIndex(({ kind }) => kind === "locked");
    const [locked, next] = call.events.slice(at < 0 ? call.events.length : at);
    const from = locked?.at;
    // A call that acts keeps its locks until its end. A call that must be approved again, or is parked, gives them back.
    const to = next === undefined || next.kind === "intended" ? call.events.at(-1)?.at : next.at;
    return from === undefined || to === undefined
      ? []
      : call.lockKeys.map((key) => ({
          key: `${call.tenant} ${key}`,
          call: call.call,
          from,
          to,
          keeps: isHoldingLocks(call),
        }));
  });
  return [...Map.groupBy(spans, ({ key }) => key).values()].flatMap((sharing) => {
    const inOrder = sharing.toSorted((a, b) => a.from - b.from);
    return inOrder.flatMap((span, position) => {
      const next = inOrder[position + 1];
      return next && (span.keeps || next.from < span.to)
        ? [createViolation("locks", next.call, `held a key while ${span.call} did`)]
        : [];
    });
  });
}

/** [P7] Whether the call keeps its locks because its outcome is unknown and has no resolution. */
const isHoldingLocks = ({ outcome, resolution }: LedgerCall) =>
  outcome?.kind === "unknown" && resolution === undefined;

function nothingIsLeft({ leftovers, calls }: HistoryIndex): Violation[] {
  return leftovers.flatMap(({ kind, call }) => {
    const holder = call === null ? undefined : calls.get(call);
    return kind === "lock" && holder && isHoldingLocks(holder)
      ? []
      : [createViolation("locks", call ?? "nobody", `left a ${kind} behind`)];
  });
}

function enoughSucceeded({ ledger, meta }: HistoryIndex): Violation[] {
  const succeeded = ledger.filter(({ outcome }) => outcome?.kind === "succeeded").length;
  return succeeded >= meta.minSucceeded
    ? []
    : [
        createViolation(
          "run",
          "-",
          `only ${succeeded} calls succeeded, ${meta.minSucceeded} were needed to prove anything`,
        ),
      ];
}
