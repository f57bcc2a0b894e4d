import {
  type Contract,
  type PolicySet,
  type Ports,
  type Principal,
  type RulingKind,
  rule,
} from "@paraph/core";

/** The ruling on all calls of a capability, as far as it does not depend on the individual call. */
export interface ExpectedRuling {
  readonly ruling: RulingKind;
  readonly sentence: string;
  readonly policies: readonly string[];
  /** Whether other policies read the individual call, so that the ruling on it can differ. */
  readonly dependsOnCall: boolean;
}

/**
 * Returns the ruling that a principal can expect for a capability. It applies the rules of every ruling to the policies
 * that do not read the call. Returns undefined if none of them decides.
 */
export function expectRuling(
  principal: Principal,
  contract: Contract,
  { policy, settings }: Pick<Ports, "policy" | "settings">,
): ExpectedRuling | undefined {
  let dependsOnCall = false;
  const current = (tenant: string): PolicySet => {
    const { withShadows: _recorded, ...set } = policy.current(tenant);
    return {
      ...set,
      evaluate: (question) => {
        if (!set.evaluateContract) throw new Error("the set can't evaluate a contract");
        const evaluation = set.evaluateContract(question);
        dependsOnCall ||= evaluation.dependsOnCall;
        return evaluation;
      },
    };
  };
  const subject = { principal, contract, input: null, preview: undefined };
  const ruling = rule({ current }, subject, { votes: [] }, settings.enforcement);
  const { kind, sentence, policies } = ruling;
  if (ruling.kind === "block" && ruling.code === "not-permitted" && dependsOnCall) return undefined;
  return { ruling: kind, sentence, policies, dependsOnCall };
}
