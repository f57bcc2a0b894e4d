import type { Json } from "../json.ts";
import type { Principal } from "../principal.ts";
import { digest } from "../receipts/digest.ts";
import { type Sealer, sealableText } from "../receipts/seal.ts";
import type { IntentAnswer } from "./understanding.ts";

/** The words behind a plan, and what understood them. It is recorded with the plan's call and can be erased. */
export interface IntentRecord {
  readonly words: string;
  readonly answers?: readonly IntentAnswer[];
  readonly understoodBy: UnderstoodBy;
  /** The time to which words such as `tomorrow` referred, in milliseconds. */
  readonly at: number;
}

/** The grammar or the model that understood the words. */
export type UnderstoodBy =
  | { readonly kind: "grammar"; readonly version: number }
  | { readonly kind: "model"; readonly model: string; readonly promptVersion: number };

/** A record with the seal that proves that this deployment understood the words as this plan for this requester. */
export interface SealedIntent extends IntentRecord {
  readonly seal: string;
}

/**
 * [TRUST 35] Returns the record with its seal. The seal binds the requester and the plan, so a caller cannot claim that
 * words of a person led to another plan.
 */
export function sealIntent(
  principal: Principal,
  plan: Json,
  record: IntentRecord,
  sealer: Sealer,
): SealedIntent {
  return { ...record, seal: sealer.seal(toText(principal, plan, record)) };
}

/** Returns whether this deployment understood the words as this plan for this requester. */
export function isIntentSealed(
  principal: Principal,
  plan: Json,
  { seal, ...record }: SealedIntent,
  sealer: Sealer,
): boolean {
  return sealer.isSealed(toText(principal, plan, record), seal);
}

function toText({ tenant, id, onBehalfOf }: Principal, plan: Json, record: IntentRecord): string {
  const { words, answers = [], understoodBy, at } = record;
  return sealableText("intent", {
    tenant,
    principal: id,
    onBehalfOf: onBehalfOf ?? null,
    plan: digest(plan),
    record: { words, answers, understoodBy, at } as unknown as Json,
  });
}
