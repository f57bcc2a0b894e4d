import type { CheckResult } from "./check.ts";
import { sameJson } from "./digest.ts";
import type { Event } from "./event.ts";
import { involvedIn, isDischarged, type Vote } from "./evidence.ts";
import type { OutcomeKind } from "./outcome.ts";
import { ParaphError } from "./paraph-error.ts";
import type { Guard } from "./policy.ts";
import { performedByAgent, type Story } from "./receipt.ts";

/** Throws `receipt-invalid` unless this holds. */
export function need(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw invalid(otherwise);
}

export function invalid(reason: string): ParaphError {
  return new ParaphError("receipt-invalid", `The receipt does not verify: ${reason}.`);
}

/** Outcomes that say that nothing was performed. */
const withoutEffect: ReadonlySet<OutcomeKind> = new Set([
  "denied",
  "expired",
  "superseded",
  "refused",
  "cancelled",
]);

/** A signature shows who said it; this shows that what they said obeys the rules of a call. */
export function storyHolds(story: Story): void {
  const { events, outcome, performer, editors } = story;
  need(
    events.every((event, index) => event.seq === index + 1),
    "events are missing or out of order",
  );
  need(events[0]?.kind === "accepted", "the story does not begin with an acceptance");
  const closing = events.filter((event) => event.kind === "closed");
  need(closing.length === 1 && events.at(-1) === closing[0], "the story does not end once");
  need(closing[0]?.data.outcome === outcome.kind, "the closing event and the outcome differ");

  need(
    performer === (performedByAgent(events) ? "agent" : undefined),
    "it says something else about who performed it than its events do",
  );

  votesOfOthers(events, editors);

  const intents = events.filter((event) => event.kind === "intended");
  if (withoutEffect.has(outcome.kind)) {
    need(
      intents.every((intent) => cameToNothing(events, intent)),
      "[P4] an intent stands in the story of a call that must have no effect",
    );
  }
  for (const close of events.filter(
    ({ kind, data }) => kind === "round-closed" && data.status === "approved",
  ))
    roundHolds(story, close);
  for (const intent of intents) approvedBefore(events, intent);
}

/** [TRUST 28] Receipts without `editors` are of calls that were not edited, or older than the rule. */
function votesOfOthers(events: readonly Event[], editors: readonly string[] = []): void {
  if (editors.length === 0) return;
  need(
    sameJson(events[0]?.data.editors ?? null, [...editors]),
    "it names other editors than its acceptance does",
  );
  const isOwnEdit = ({ kind, data }: Event) =>
    kind === "voted" &&
    data.decision === "approve" &&
    data.as !== "confirmation" &&
    editors.includes(String(data.by));
  need(!events.some(isOwnEdit), "[TRUST 28] a person approved what they had edited");
}

/** An attempt that was not performed, as its own end says: it may be asked about again, and then denied. */
function cameToNothing(events: readonly Event[], intent: Event): boolean {
  const end = events.find(
    (event) =>
      event.kind === "attempted" && event.data.attempt === intent.data.attempt && event.seq > intent.seq,
  );
  return end?.data.as === "not-performed";
}

/** [P5] An intent follows the last round that was asked, and that round still stood: its last closing counts. */
function approvedBefore(events: readonly Event[], intent: Event): void {
  const earlier = events.filter((event) => event.seq < intent.seq);
  const ruled = earlier.findLast((event) => event.kind === "ruled");
  const asked = earlier.findLast((event) => event.kind === "asked");
  need(ruled?.data.ruling !== "block", "an intent stands after policy has blocked the call");
  if (!asked) {
    need(ruled?.data.ruling !== "ask", "policy asked for people, and none were asked before an intent");
    return;
  }
  const close = earlier.findLast(
    (event) => event.kind === "round-closed" && event.data.round === asked.data.round,
  );
  need(close !== undefined, "an intent stands before its approval");
  // A round that was voided is made up for only by a ruling that came after it and asks for nobody.
  const isWaived = ruled !== undefined && ruled.seq > close.seq && ruled.data.ruling === "allow";
  need(close.data.status === "approved" || isWaived, "an intent stands on a round that was not approved");
}

/** [P5] A round that was closed as approved has the votes for it: of enough people, for the digest that was asked about. */
function roundHolds({ events, principal, editors = [] }: Story, close: Event): void {
  const { round, digest } = close.data;
  const inRound = events.filter((event) => event.seq < close.seq && event.data.round === round);
  const asked = inRound.findLast((event) => event.kind === "asked");
  need(asked !== undefined, "a round was approved that was never asked");
  need(
    typeof digest === "string" && digest === asked.data.digest,
    "what was approved is not what was asked about",
  );
  const votes = new Map<string, Vote>();
  const declined = new Map<string, readonly string[]>();
  const seats = new Map<string, readonly string[]>();
  for (const { kind, seq, data } of inRound) {
    if (kind !== "voted" || seq < asked.seq) continue;
    const vote = data as unknown as Vote;
    need(data.digest === digest, "a vote is for something else than was asked about");
    need(vote.decision === "approve", "a round was approved although a vote in it is against it");
    const isInvolved = [...involvedIn(principal), ...editors].includes(vote.by);
    need((vote.as === "confirmation") === isInvolved, "a vote counts as another than its voter's");
    votes.set(vote.by, vote);
    seats.set(vote.by, [vote.by, ...((data.inPlaceOf ?? []) as readonly string[])]);
    declined.set(vote.by, (data.declined ?? []) as readonly string[]);
  }
  const heard = [...seats.values()].flat();
  // [TRUST 13]
  need(new Set(heard).size === heard.length, "one person's groups count more than once");
  const without = new Set([...declined.values()].flat());
  const checked = events.findLast(({ kind, seq }) => kind === "checked" && seq < asked.seq);
  const checks = (checked?.data.results ?? []) as unknown as readonly CheckResult[];
  const guards = (asked.data.guards ?? []) as unknown as readonly Guard[];
  const evidence = { votes: [...votes.values()], checks };
  need(
    votes.size > 0 &&
      guards
        .filter(({ steps }) => !steps?.every((step) => without.has(step)))
        .every((guard) => isDischarged(guard, evidence)),
    "a round was approved without the votes that its guards demand",
  );
}
