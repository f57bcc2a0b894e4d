import { type GuardKind, guardKinds, type ProofKind } from "@paraph/core";
import { isShadow, readAnnotations, readSentence } from "../loading/annotations.ts";
import { parsePolicies } from "../loading/policy-text.ts";
import { listSources, type PolicyDocument } from "../policy-document.ts";

/** A short description of one policy in a document, for people. */
export interface PolicyOutline {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly effect: "permit" | "forbid";
  /** The kind of evidence that lifts a guard: approvals or checks. Undefined for other policies. */
  readonly demands?: GuardKind;
  /** The number of people who must approve. Undefined for a policy that asks no people. */
  readonly quorum?: number;
  /** The group that the approvers must be members of. */
  readonly group?: string;
  /** The proof that each approval needs. */
  readonly proof?: ProofKind;
  readonly shadow: boolean;
  readonly sentence?: string;
}

/** Lists every readable policy in the order of the texts. `loadPolicies` reports the unreadable ones. */
export function outlinePolicies(document: PolicyDocument): readonly PolicyOutline[] {
  const policies = listSources(document).flatMap((source) => parsePolicies(source, []));
  return policies.map((policy) => {
    const { ruling, quorum, group, proof } = readAnnotations(policy);
    const demands = guardKinds.find((kind) => kind === ruling);
    const sentence = readSentence(policy);
    return {
      id: policy.id,
      file: policy.file,
      line: policy.line,
      effect: policy.json.effect,
      ...(demands !== undefined && { demands }),
      ...(quorum && { quorum: Number(quorum) }),
      ...(group && { group }),
      ...(proof && { proof: proof as ProofKind }),
      shadow: isShadow(policy),
      ...(sentence !== undefined && { sentence }),
    };
  });
}
