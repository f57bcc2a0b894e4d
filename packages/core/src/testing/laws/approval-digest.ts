import { approvalDigest } from "../../approval.ts";
import { type Call, lastPreview } from "../../call.ts";

/** Computes the digest that a vote on this call would approve, from the call's rows alone. */
export function computeApprovalDigest(call: Call): string {
  return approvalDigest({
    call: call.call,
    nonce: call.payloads.input?.salt ?? "",
    contract: { name: call.capability, version: call.version },
    input: call.payloads.input?.value ?? null,
    preview: lastPreview(call),
  });
}
