import type { Call } from "../call.ts";
import type { Json } from "../json.ts";
import type { Signer } from "../ports.ts";
import { canonical, sha256Hex } from "./digest.ts";
import { type Envelope, envelopeText, signEnvelope } from "./dsse.ts";
import { receiptMediaType, statementType } from "./receipt.ts";

/**
 * The finding of a person or a probe about an unknown outcome. A resolution supplements the receipt of the call and
 * never changes the receipt.
 */
export interface Resolution {
  readonly finding: Finding;
  readonly by: string;
  readonly how: "person" | "probe";
  readonly at: number;
}

/** The finding about an unknown outcome, which states whether the effect of the call happened. */
export type Finding = "happened" | "not-happened";

/** The predicate type of a resolution. */
export const resolutionType = "https://paraph.dev/resolution/v1";

/** Signs a finding about a call. `reason` is the commitment to the explanation. */
export async function issueResolution(
  call: Pick<Call, "tenant" | "call" | "capability">,
  resolution: Resolution & { readonly reason?: string },
  signer: Signer,
): Promise<{ readonly envelope: Envelope; readonly digest: string }> {
  const { tenant, call: id, capability } = call;
  const predicate = { tenant, call: id, capability, ...resolution } as unknown as Json;
  const story = canonical(predicate);
  const subject = canonical([{ name: id, digest: { sha256: sha256Hex(story) } }]);
  const text = `{"_type":"${statementType}","predicate":${story},"predicateType":"${resolutionType}","subject":${subject}}`;
  const envelope = await signEnvelope(receiptMediaType, text, signer);
  return { envelope, digest: sha256Hex(envelopeText(envelope)) };
}
