import { isShadow, readAnnotations, readSentence } from "../loading/annotations.ts";
import { parsePolicies } from "../loading/policy-text.ts";
import { listSources, type PolicyDocument } from "../policy-document.ts";

/** One policy of a document, for people who look for it. */
export interface PolicyOutline {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly effect: "permit" | "forbid";
  /** Of a guard: what lifts it. */
  readonly demands?: "ask" | "check";
  readonly shadow: boolean;
  readonly sentence?: string;
}

/** Every policy that can be read, in the order of the texts; what cannot is for `loadPolicies` to tell. */
export function outlinePolicies(document: PolicyDocument): readonly PolicyOutline[] {
  const policies = listSources(document).flatMap((source) => parsePolicies(source, []));
  return policies.map((policy) => {
    const { ruling } = readAnnotations(policy);
    const sentence = readSentence(policy);
    return {
      id: policy.id,
      file: policy.file,
      line: policy.line,
      effect: policy.json.effect,
      ...((ruling === "ask" || ruling === "check") && { demands: ruling }),
      shadow: isShadow(policy),
      ...(sentence !== undefined && { sentence }),
    };
  });
}
