import { annotationsOf, isShadow, sentenceOf } from "./annotations.ts";
import { type PolicyDocument, sourcesOf } from "./document.ts";
import { singlePolicies } from "./policy-text.ts";

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
export function outlineOf(document: PolicyDocument): readonly PolicyOutline[] {
  const policies = sourcesOf(document).flatMap((source) => singlePolicies(source, []));
  return policies.map((policy) => {
    const { ruling } = annotationsOf(policy);
    const sentence = sentenceOf(policy);
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
