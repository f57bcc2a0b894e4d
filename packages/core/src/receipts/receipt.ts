import type { Call, Payload, PayloadName, Payloads } from "../call.ts";
import { listEditors } from "../editors.ts";
import { type Event, type RecordedEvent, toRecorded } from "../event.ts";
import type { Json } from "../json.ts";
import type { Outcome } from "../outcome.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Signer } from "../ports.ts";
import type { Principal } from "../principal.ts";
import type { NewReceipt } from "../store.ts";
import { canonical, commitment, sha256Hex } from "./digest.ts";
import { type Envelope, envelopeText, signEnvelope, toEnvelope } from "./dsse.ts";

/** The type of the in-toto statement around a receipt. */
export const statementType = "https://in-toto.io/Statement/v1";
/** The predicate type of a receipt. */
export const receiptType = "https://paraph.dev/receipt/v1";
/** The media type of the signed payload. */
export const receiptMediaType = "application/vnd.in-toto+json";

/** The signed statement of everything that happened to a call. It holds ids, codes and commitments, and no payload. */
export interface Statement {
  readonly _type: typeof statementType;
  readonly subject: readonly [{ readonly name: string; readonly digest: { readonly sha256: string } }];
  readonly predicateType: typeof receiptType;
  readonly predicate: ReceiptPredicate;
}

/** The content of a receipt. */
export interface ReceiptPredicate {
  readonly tenant: string;
  readonly call: string;
  readonly capability: string;
  readonly version: number;
  readonly contractDigest: string;
  readonly principal: Pick<Principal, "id" | "kind" | "owner" | "onBehalfOf">;
  /**
   * The people who edited the input, in order. The last editor is the author of the input, instead of the principal. No
   * editor's vote counts as an approval, except a confirmation.
   */
  readonly editors?: readonly string[];
  readonly outcome: Outcome;
  readonly attempts: number;
  /**
   * The duration of all attempts together, without the waits between them. For a composite, the time from its beginning
   * to its end.
   */
  readonly durationMs: number;
  /**
   * `agent` if the agent that requested the call also performed it. The statements about the effect are then the
   * agent's, not Paraph's.
   */
  readonly performer?: "agent";
  /** The composite of which the call is a step. */
  readonly parent?: { readonly call: string; readonly step: string };
  /** The steps of a composite. Each step has its own receipt, and `receipt` is the digest of that receipt. */
  readonly children?: readonly {
    readonly step: string;
    readonly call: string;
    readonly outcome: Outcome;
    readonly receipt: string;
  }[];
  /** The salted digests of the payloads. A payload that is disclosed with its salt can be verified against them. */
  readonly commitments: Readonly<Partial<Record<PayloadName, string>>>;
  readonly events: readonly RecordedEvent[];
}

/** A receipt as it is exported: the envelope, and the payloads that its holder may see. */
export interface ReceiptBundle {
  readonly mediaType: "application/vnd.paraph.receipt.v1+json";
  readonly envelope: Envelope;
  readonly disclosures: Readonly<Partial<Record<PayloadName, Payload>>>;
}

/** Returns the payloads to which the receipt of a call commits. */
export function committedPayloads({ resolution: _later, ...payloads }: Payloads): Payloads {
  return payloads;
}

/** Returns whether an agent claimed the call to perform it itself. */
export function isPerformedByAgent(events: readonly (Event | RecordedEvent)[]): boolean {
  return events.some(
    ({ kind, data }) => kind === "intended" && "performer" in data && data.performer === "agent",
  );
}

/**
 * Signs the receipt of a call. The receipt describes the call as its rows will be once the closing transition is
 * committed.
 */
export async function issueReceipt(
  call: Pick<Call, "tenant" | "call" | "capability" | "version" | "contractDigest" | "principal" | "parent">,
  ending: {
    outcome: Outcome;
    attempts: number;
    durationMs: number;
    events: readonly Event[];
    payloads: Partial<Record<PayloadName, Payload>>;
    children?: ReceiptPredicate["children"];
  },
  signer: Signer,
): Promise<NewReceipt> {
  const { owner, id, kind, onBehalfOf } = call.principal;
  const editors = listEditors(ending);
  const predicate: ReceiptPredicate = {
    tenant: call.tenant,
    call: call.call,
    capability: call.capability,
    version: call.version,
    contractDigest: call.contractDigest,
    principal: {
      id,
      kind,
      ...(owner !== undefined && { owner }),
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    },
    ...(editors.length > 0 && { editors }),
    outcome: ending.outcome,
    attempts: ending.attempts,
    durationMs: ending.durationMs,
    ...(isPerformedByAgent(ending.events) && { performer: "agent" }),
    ...(call.parent && { parent: { call: call.parent.call, step: call.parent.step } }),
    ...(ending.children && { children: ending.children }),
    commitments: listCommitments(ending.payloads),
    events: toRecorded(ending.events),
  };
  const envelope = await signEnvelope(receiptMediaType, statementText(predicate), signer);
  const { events: _storedApart, ...story } = predicate;
  return {
    digest: sha256Hex(envelopeText(envelope)),
    story: canonical(story as unknown as Json),
    signature: envelope.signatures[0]!,
  };
}

/**
 * Puts the events of a call back into its stored receipt, byte for byte as it was signed. Throws `receipt-altered` if
 * they are not the events that were signed.
 */
export function rebuildReceipt(stored: NewReceipt, events: readonly RecordedEvent[]): Envelope {
  const text = statementText({ ...JSON.parse(stored.story), events: listSignedEvents(events) });
  const envelope = toEnvelope(receiptMediaType, text, stored.signature);
  if (sha256Hex(envelopeText(envelope)) === stored.digest) return envelope;
  throw new ParaphError(
    "receipt-altered",
    "The stored receipt or events of the call were changed, so its receipt cannot be shown. `paraph replay --check` lists what differs.",
  );
}

/**
 * Returns the events that the receipt of a call signs, in the form in which it signs them. A later event, such as a
 * resolution or a message, belongs to no receipt.
 */
export function listSignedEvents(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const closed = events.findLastIndex(({ kind }) => kind === "closed");
  return events.slice(0, closed + 1).map(({ seq, kind, at, data }) => ({ seq, kind, at, data }));
}

/**
 * Returns the canonical form of the statement. The function canonicalises the predicate only once, because the
 * predicate is by far the largest part and is also digested.
 */
export function statementText(predicate: ReceiptPredicate): string {
  const story = canonical(predicate as unknown as Json);
  const subject = canonical([{ name: predicate.call, digest: { sha256: sha256Hex(story) } }]);
  return `{"_type":"${statementType}","predicate":${story},"predicateType":"${receiptType}","subject":${subject}}`;
}

function listCommitments(payloads: Partial<Record<PayloadName, Payload>>): ReceiptPredicate["commitments"] {
  return Object.fromEntries(
    Object.entries(payloads).map(([name, payload]) => [name, commitment(payload.salt, payload.value)]),
  );
}
