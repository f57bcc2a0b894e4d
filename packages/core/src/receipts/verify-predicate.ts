import { countsAsNotBegun } from "../capability/fault-kind.ts";
import type { RecordedEvent } from "../event.ts";
import type { OutcomeKind } from "../outcome.ts";
import { ParaphError } from "../paraph-error.ts";
import type { CheckResult } from "../policy/check.ts";
import { conflictedPrincipals, isDischarged, type Vote } from "../policy/evidence.ts";
import type { Guard } from "../policy/policy.ts";
import { sameJson } from "./digest.ts";
import { isPerformedByAgent, type ReceiptPredicate } from "./receipt.ts";

/** Throws `receipt-invalid` if the condition does not hold. */
export function assertValid(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw invalid(otherwise);
}

/** Returns the error for a receipt that fails verification. */
export function invalid(reason: string): ParaphError {
  return new ParaphError("receipt-invalid", `The receipt does not verify: ${reason}.`);
}

/** Outcomes which mean that nothing was performed. */
const outcomesWithoutEffect: ReadonlySet<OutcomeKind> = new Set([
  "denied",
  "expired",
  "superseded",
  "refused",
  "cancelled",
]);

/**
 * Verifies that the events of a receipt obey the rules of a call. The signature alone shows only who made the
 * statement.
 */
export function verifyPredicate(story: ReceiptPredicate): void {
  const { events, outcome, performer, editors } = story;
  assertValid(
    events.every((event, index) => event.seq === index + 1),
    "events are missing or out of order",
  );
  assertValid(events[0]?.kind === "accepted", "the first event is not `accepted`");
  const closing = events.filter((event) => event.kind === "closed");
  assertValid(
    closing.length === 1 && events.at(-1) === closing[0],
    "it does not have exactly one `closed` event at the end",
  );
  assertValid(closing[0]?.data.outcome === outcome.kind, "the closing event and the outcome differ");

  assertValid(
    performer === (isPerformedByAgent(events) ? "agent" : undefined),
    "its `performer` does not match its events",
  );

  listOtherVotes(events, editors);

  const intents = events.filter((event) => event.kind === "intended");
  if (outcomesWithoutEffect.has(outcome.kind)) {
    assertValid(
      intents.every((intent) => hadNoEffect(events, intent)),
      "it has an intent, although its outcome means that the call had no effect",
    );
  }
  for (const close of events.filter(
    ({ kind, data }) => kind === "round-closed" && data.status === "approved",
  ))
    verifyRound(story, close);
  for (const intent of intents) findApproval(events, intent);
}

/**
 * [TRUST 28] Rejects approvals by the editors. If a receipt has no `editors`, the call was not edited or the receipt is
 * older than this rule.
 */
function listOtherVotes(events: readonly RecordedEvent[], editors: readonly string[] = []): void {
  if (editors.length === 0) return;
  assertValid(
    sameJson(events[0]?.data.editors ?? null, [...editors]),
    "its `editors` do not match its `accepted` event",
  );
  const isOwnEdit = ({ kind, data }: RecordedEvent) =>
    kind === "voted" &&
    data.decision === "approve" &&
    data.as !== "confirmation" &&
    editors.includes(String(data.by));
  assertValid(!events.some(isOwnEdit), "a person approved their own edit");
}

/**
 * Returns whether an attempt ended as not performed. After such an attempt, Paraph may ask people again, and an
 * approver may then deny the call.
 */
function hadNoEffect(events: readonly RecordedEvent[], intent: RecordedEvent): boolean {
  const end = events.find(
    (event) =>
      event.kind === "attempted" && event.data.attempt === intent.data.attempt && event.seq > intent.seq,
  );
  return countsAsNotBegun(end?.data.as as string | undefined);
}

/**
 * [P5] Rejects an intent without a valid approval. The round of the last question before the intent must be closed, and
 * its last closing must be an approval.
 */
function findApproval(events: readonly RecordedEvent[], intent: RecordedEvent): void {
  const earlier = events.filter((event) => event.seq < intent.seq);
  const ruled = earlier.findLast((event) => event.kind === "ruled");
  const asked = earlier.findLast((event) => event.kind === "asked");
  assertValid(ruled?.data.ruling !== "block", "it has an intent after policy blocked the call");
  if (!asked) {
    assertValid(
      ruled?.data.ruling !== "ask",
      "policy required an approval, but no approver was asked before an intent",
    );
    return;
  }
  const close = earlier.findLast(
    (event) => event.kind === "round-closed" && event.data.round === asked.data.round,
  );
  assertValid(close !== undefined, "an intent comes before its approval");
  // A voided round does not matter if a later ruling allows the call without approvals.
  const isWaived = ruled !== undefined && ruled.seq > close.seq && ruled.data.ruling === "allow";
  assertValid(
    close.data.status === "approved" || isWaived,
    "an intent follows a round that was not approved",
  );
}

/**
 * [P5] Rejects an approved round that lacks the necessary votes. Enough people must have approved the digest of the
 * question.
 */
function verifyRound({ events, principal, editors = [] }: ReceiptPredicate, close: RecordedEvent): void {
  const { round, digest } = close.data;
  const inRound = events.filter((event) => event.seq < close.seq && event.data.round === round);
  const asked = inRound.findLast((event) => event.kind === "asked");
  assertValid(asked !== undefined, "an approved round has no `asked` event");
  assertValid(
    typeof digest === "string" && digest === asked.data.digest,
    "the approved digest differs from the digest of the `asked` event",
  );
  const votes = new Map<string, Vote>();
  const declined = new Map<string, readonly string[]>();
  const seats = new Map<string, readonly string[]>();
  for (const { kind, seq, data } of inRound) {
    if (kind !== "voted" || seq < asked.seq) continue;
    const vote = data as unknown as Vote;
    assertValid(data.digest === digest, "the digest of a vote differs from the digest of its round");
    assertValid(vote.decision === "approve", "an approved round contains a vote that does not approve");
    const isInvolved = [...conflictedPrincipals(principal), ...editors].includes(vote.by);
    assertValid(
      (vote.as === "confirmation") === isInvolved,
      "a vote has a role that its voter does not have",
    );
    votes.set(vote.by, vote);
    seats.set(vote.by, [vote.by, ...((data.inPlaceOf ?? []) as readonly string[])]);
    declined.set(vote.by, (data.declined ?? []) as readonly string[]);
  }
  const heard = [...seats.values()].flat();
  // [TRUST 13]
  assertValid(new Set(heard).size === heard.length, "one person's groups count more than once");
  const without = new Set([...declined.values()].flat());
  const checked = events.findLast(({ kind, seq }) => kind === "checked" && seq < asked.seq);
  const checks = (checked?.data.results ?? []) as unknown as readonly CheckResult[];
  const guards = (asked.data.guards ?? []) as unknown as readonly Guard[];
  const evidence = { votes: [...votes.values()], checks };
  assertValid(
    votes.size > 0 &&
      guards
        .filter(({ steps }) => !steps?.every((step) => without.has(step)))
        .every((guard) => isDischarged(guard, evidence)),
    "a round was approved without the votes that its guards demand",
  );
}
