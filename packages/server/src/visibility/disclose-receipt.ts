import {
  type Call,
  committedPayloads,
  type Envelope,
  type PayloadName,
  type Principal,
  type ReceiptBundle,
  sameJson,
} from "@paraph/core";
import type { VisibilityDeps } from "./field-visibility.ts";
import { maskForReader } from "./mask-for-reader.ts";

/**
 * [TRUST 16] Returns the receipt of a call for this reader. It discloses only payloads that the reader may see in full,
 * because a commitment covers the whole value.
 */
export async function discloseReceipt(
  reader: Principal,
  call: Call,
  envelope: Envelope,
  deps: VisibilityDeps,
): Promise<ReceiptBundle> {
  const { payloads } = await maskForReader(reader, call, deps);
  const visible = Object.entries(committedPayloads(call.payloads)).filter(([name, { value }]) =>
    sameJson(payloads[name as PayloadName], value),
  );
  return {
    mediaType: "application/vnd.paraph.receipt.v1+json",
    envelope,
    disclosures: Object.fromEntries(visible),
  };
}
