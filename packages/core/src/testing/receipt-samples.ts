// Receipts for tests of verifiers: valid ones, malformed ones, and signed ones whose events break the rules of a call.
import type { Event, RecordedEvent } from "../event.ts";
import type { Outcome } from "../outcome.ts";
import type { Signer } from "../ports.ts";
import { toEnvelope } from "../receipts/dsse.ts";
import { issueReceipt, type ReceiptBundle, receiptMediaType, statementText } from "../receipts/receipt.ts";

const payloads = {
  input: { salt: "00112233445566778899aabbccddeeff", value: { to: "ana", cents: 5 } },
  output: { salt: "ffeeddccbbaa99887766554433221100", value: { refund: "r1" } },
};

/** An event of a sample, without its number and time. */
export type SampleEvent = Pick<RecordedEvent, "kind"> & { data?: RecordedEvent["data"] };
const digest = "d".repeat(64);
const guard = { id: "two", ruling: "ask", quorum: 2 };
const askedRound = (round: number): SampleEvent => ({
  kind: "asked",
  data: { round, digest, guards: [guard] },
});
const asked = askedRound(1);
export const voted = (by: string, more: RecordedEvent["data"] = {}): SampleEvent => ({
  kind: "voted",
  data: { round: 1, by, decision: "approve", as: "approver", digest, ...more },
});
export const votes = [voted("ana"), voted("bo")];
export const closedRound = (status: string, round = 1): SampleEvent => ({
  kind: "round-closed",
  data: { round, status, digest },
});
export const ruled = (ruling: string): SampleEvent => ({ kind: "ruled", data: { ruling } });
export const intended: SampleEvent = { kind: "intended", data: { attempt: 1 } };
export const attempted = (as: string): SampleEvent => ({ kind: "attempted", data: { attempt: 1, as } });
export const closed = (outcome: string): SampleEvent => ({ kind: "closed", data: { outcome } });
export const done: readonly SampleEvent[] = [
  { kind: "accepted" },
  intended,
  attempted("succeeded"),
  closed("succeeded"),
];

/** Signs the receipt of a call with these events. */
export async function createSampleReceipt(
  signer: Signer,
  told: readonly SampleEvent[] = done,
  kind: Outcome["kind"] = "succeeded",
): Promise<ReceiptBundle> {
  const call = {
    tenant: "acme",
    call: "call_1",
    capability: "billing.refund",
    version: 1,
    contractDigest: "c0ffee",
    principal: { tenant: "acme", id: "agent", kind: "agent", owner: "owner" },
  } as const;
  const events = told.map(({ kind, data }, index) => ({
    seq: index + 1,
    kind,
    at: 1_000 + index,
    data: data ?? {},
  }));
  const story = {
    outcome: { kind, code: "done" },
    attempts: 1,
    durationMs: 5,
    events: events as unknown as Event[],
    payloads,
  };
  const issued = await issueReceipt(call, story, signer);
  // Some samples do not end or go on after their end, so `rebuildReceipt` would refuse them.
  const text = statementText({ ...JSON.parse(issued.story), events });
  const envelope = toEnvelope(receiptMediaType, text, issued.signature);
  return { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: payloads };
}

/** Returns the events of an approved call, with these events between the question and the intent. */
export const approvedBy = (...between: readonly SampleEvent[]): readonly SampleEvent[] => [
  ...[{ kind: "accepted" } as const, ruled("ask"), asked, ...between],
  ...done.slice(1),
];

/** Changes after which a receipt is no receipt. */
export const malformedReceipts: readonly [string, (whole: ReceiptBundle) => unknown][] = [
  ["another media type", (whole) => ({ ...whole, mediaType: "application/json" })],
  [
    "another payload type",
    (whole) => ({ ...whole, envelope: { ...whole.envelope, payloadType: "text/plain" } }),
  ],
  ["a member too many", (whole) => ({ ...whole, note: "trust me" })],
  ["a member too few", ({ disclosures: _, ...whole }) => whole],
  ["no signature", (whole) => ({ ...whole, envelope: { ...whole.envelope, signatures: [] } })],
  [
    "two signatures",
    (whole) => ({
      ...whole,
      envelope: {
        ...whole.envelope,
        signatures: [...whole.envelope.signatures, ...whole.envelope.signatures],
      },
    }),
  ],
  ["a disclosure nobody signed", (whole) => ({ ...whole, disclosures: { reason: payloads.input } })],
  ["a disclosure under another name", (whole) => ({ ...whole, disclosures: { output: payloads.input } })],
  [
    "a disclosure under a name every object has",
    (whole) => ({ ...whole, disclosures: { constructor: payloads.input } }),
  ],
  ["nothing", () => null],
  ["text", () => "receipt"],
  ["a list", (whole) => [whole]],
];

/** The events and outcomes of signed receipts that break the rules of a call. */
export const brokenStories: readonly [string, readonly SampleEvent[], Outcome["kind"]][] = [
  ["[P2] it does not begin with an acceptance", done.slice(1), "succeeded"],
  ["[P2] it does not end", done.slice(0, 3), "succeeded"],
  ["[P2] it ends twice", [...done, closed("succeeded")], "succeeded"],
  ["[P2] it goes on after its end", [...done, attempted("succeeded")], "succeeded"],
  ["[P2] its ending and its outcome differ", done, "failed"],
  ["[P4] an intent in a denied call", [{ kind: "accepted" }, intended, closed("denied")], "denied"],
  [
    "[P4] an effect in an expired call",
    [{ kind: "accepted" }, intended, attempted("succeeded"), closed("expired")],
    "expired",
  ],
  [
    "[P5] an intent before its approval",
    [{ kind: "accepted" }, asked, intended, closed("succeeded")],
    "succeeded",
  ],
  [
    "[P5] an intent after a denied round",
    [{ kind: "accepted" }, asked, closedRound("denied"), intended, closed("succeeded")],
    "succeeded",
  ],
  [
    "[P5] an intent after another round than the last was approved",
    [
      ...([{ kind: "accepted" }, asked, ...votes, closedRound("approved")] as SampleEvent[]),
      ...([askedRound(2), intended, closed("succeeded")] as SampleEvent[]),
    ],
    "succeeded",
  ],
  ["[P4] an effect in a refused call", [...done.slice(0, 3), closed("refused")], "refused"],
  ["[P4] an effect in a cancelled call", [...done.slice(0, 3), closed("cancelled")], "cancelled"],
  ["[P5] an intent after a block", [{ kind: "accepted" }, ruled("block"), ...done.slice(1)], "succeeded"],
  ["[P5] nobody was asked", [{ kind: "accepted" }, ruled("ask"), ...done.slice(1)], "succeeded"],
  [
    "[P5] the approved round was voided",
    approvedBy(...votes, closedRound("approved"), closedRound("void")),
    "succeeded",
  ],
  [
    "[P5] the approved round was voided after policy had allowed it",
    approvedBy(...votes, closedRound("approved"), ruled("allow"), closedRound("void")),
    "succeeded",
  ],
  ["[TRUST 1] an approved round without a vote", approvedBy(closedRound("approved")), "succeeded"],
  ["[TRUST 13] too few votes for its guard", approvedBy(voted("ana"), closedRound("approved")), "succeeded"],
  [
    "[TRUST 13] one person's vote twice",
    approvedBy(voted("ana"), voted("ana"), closedRound("approved")),
    "succeeded",
  ],
  [
    "[TRUST 13] a person's own vote, and that of their stand-in",
    approvedBy(voted("ana"), voted("bo", { inPlaceOf: ["ana"] }), closedRound("approved")),
    "succeeded",
  ],
  [
    "[TRUST 13] the votes of two stand-ins of one person",
    approvedBy(
      voted("ana", { inPlaceOf: ["cy"] }),
      voted("bo", { inPlaceOf: ["cy"] }),
      closedRound("approved"),
    ),
    "succeeded",
  ],
  [
    "[TRUST 1] a vote for another digest",
    approvedBy(...votes, voted("cy", { digest: "e".repeat(64) }), closedRound("approved")),
    "succeeded",
  ],
  [
    "[TRUST 1] a closing for another digest",
    approvedBy(...votes, { kind: "round-closed", data: { round: 1, status: "approved", digest: "e" } }),
    "succeeded",
  ],
  [
    "[TRUST 1] a vote of another round",
    approvedBy(voted("ana"), voted("bo", { round: 2 }), closedRound("approved")),
    "succeeded",
  ],
  [
    "[P5] a vote against it",
    approvedBy(...votes, voted("cy", { decision: "deny" }), closedRound("approved")),
    "succeeded",
  ],
  [
    "[TRUST 12] the owner's vote as an approver's",
    approvedBy(voted("ana"), voted("owner"), closedRound("approved")),
    "succeeded",
  ],
  [
    "[TRUST 13] a round without a vote, of a call that never acted",
    [{ kind: "accepted" }, asked, closedRound("approved"), closed("failed")],
    "failed",
  ],
];
