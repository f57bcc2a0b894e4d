import type { Call, Payload, PayloadName, Payloads } from "../call.ts";
import { type Event, type RecordedEvent, toRecorded } from "../event.ts";
import type { Json } from "../json.ts";
import type { Outcome } from "../outcome.ts";
import { listEditors } from "../pipeline/approval/editors.ts";
import type { NewReceipt, Signer } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { canonical, commitment, sha256Hex } from "./digest.ts";
import { type Envelope, envelopeText, signEnvelope } from "./dsse.ts";

export const statementType = "https://in-toto.io/Statement/v1";
export const receiptType = "https://paraph.dev/receipt/v1";
export const receiptMediaType = "application/vnd.in-toto+json";

/** The signed statement of the whole story of a call. It holds ids, codes and commitments, no payload. */
export interface Statement {
  readonly _type: typeof statementType;
  readonly subject: readonly [{ readonly name: string; readonly digest: { readonly sha256: string } }];
  readonly predicateType: typeof receiptType;
  readonly predicate: ReceiptPredicate;
}

export interface ReceiptPredicate {
  readonly tenant: string;
  readonly call: string;
  readonly capability: string;
  readonly version: number;
  readonly contractDigest: string;
  readonly principal: Pick<Principal, "id" | "kind" | "owner" | "onBehalfOf">;
  /** The people who edited the input, in order: the last is its author, not the principal. None of them approved it. */
  readonly editors?: readonly string[];
  readonly outcome: Outcome;
  readonly attempts: number;
  /** All attempts together, without the waits between them. Of a composite: from its beginning to its end. */
  readonly durationMs: number;
  /** Performed by who asked, not by Paraph: what is said of the effect is said by them. */
  readonly performer?: "agent";
  /** The composite that it is a step of. */
  readonly parent?: { readonly call: string; readonly step: string };
  /** The steps of a composite: each has a receipt of its own, whose digest is here. */
  readonly children?: readonly {
    readonly step: string;
    readonly call: string;
    readonly outcome: Outcome;
    readonly receipt: string;
  }[];
  /** Salted digests of what is kept apart: shown with their salts, they prove themselves. */
  readonly commitments: Readonly<Partial<Record<PayloadName, string>>>;
  readonly events: readonly RecordedEvent[];
}

/** What travels: the envelope, and beside it whatever its holder may see of the payloads. */
export interface ReceiptBundle {
  readonly mediaType: "application/vnd.paraph.receipt.v1+json";
  readonly envelope: Envelope;
  readonly disclosures: Readonly<Partial<Record<PayloadName, Payload>>>;
}

/** The payloads that a receipt commits to, of all that a call has by now. */
export function toReceiptBundle({ resolution: _later, ...payloads }: Payloads): Payloads {
  return payloads;
}

/** Whether the agent took it to perform it itself. */
export function isPerformedByAgent(events: readonly (Event | RecordedEvent)[]): boolean {
  return events.some(
    ({ kind, data }) => kind === "intended" && "performer" in data && data.performer === "agent",
  );
}

/** Signs the story as it will stand once the closing transition is committed. */
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
  return { envelope, digest: sha256Hex(envelopeText(envelope)) };
}

/** The statement in canonical form, around its predicate, which is by far the most of it and is digested as well. */
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
