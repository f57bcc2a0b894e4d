import type { Call } from "../call.ts";
import type { Json } from "../json.ts";
import type { Signer } from "../ports.ts";
import { canonical, sha256Hex } from "./digest.ts";
import { type Envelope, envelopeText, signEnvelope } from "./dsse.ts";
import { receiptMediaType, statementType } from "./receipt.ts";

/** A person's or a probe's finding about an unknown outcome: it adds to the receipt and never changes it. */
export interface Resolution {
  readonly finding: Finding;
  readonly by: string;
  readonly how: "person" | "probe";
  readonly at: number;
}

export type Finding = "happened" | "not-happened";

export const resolutionType = "https://paraph.dev/resolution/v1";

/** Signs a finding about the call whose receipt has this digest. `reason`: the commitment of why. */
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
