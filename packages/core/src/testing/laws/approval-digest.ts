import { approvalDigest } from "../../approval.ts";
import { type Call, lastPreview } from "../../call.ts";
import { lastHeadline } from "../../headline.ts";

/** Computes the digest that a vote on this call would approve, from the call's rows alone. */
export function computeApprovalDigest(call: Call): string {
  return approvalDigest({ ...readContent(call), headline: lastHeadline(call) });
}

/** Computes the digest of a step's content, to which the approval of its composite is bound. */
export function computeContentDigest(call: Call): string {
  return approvalDigest(readContent(call));
}

function readContent(call: Call) {
  return {
    call: call.call,
    nonce: call.payloads.input?.salt ?? "",
    contract: { name: call.capability, version: call.version },
    input: call.payloads.input?.value ?? null,
    preview: lastPreview(call),
  };
}
