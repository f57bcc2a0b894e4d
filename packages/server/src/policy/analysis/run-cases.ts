import {
  type Capability,
  type CheckResult,
  conflictedPrincipals,
  type Enforcement,
  type Evidence,
  type PolicySet,
  type Principal,
  type Ruling,
  rule,
} from "@paraph/core";
import type { PolicyCase } from "./cases.ts";
import { hasSameMembers } from "./same-members.ts";

/** A policy and its place in the source. */
export interface LocatedPolicy {
  readonly id: string;
  readonly file: string;
  readonly line: number;
}

/** The result of one case. */
export interface CaseResult {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly passed: boolean;
  readonly expected: Ruling["kind"];
  /**
   * The ruling on the case. Undefined if the case could not be evaluated, because its capability is unknown or its
   * input is invalid.
   */
  readonly got?: Pick<Ruling, "kind" | "policies" | "sentence"> & { readonly code?: string };
  /** The reasons why the case failed, each in one sentence. */
  readonly faults: readonly string[];
}

/** The results of all cases, and the policies that no case covers. */
export interface CasesResult {
  readonly cases: readonly CaseResult[];
  /** The policies that no case covers. */
  readonly uncovered: readonly LocatedPolicy[];
}

/** Options of `runCases`. */
export interface CasesOptions {
  readonly set: PolicySet;
  readonly policies: readonly LocatedPolicy[];
  readonly capability: (name: string) => Capability | undefined;
  readonly enforcement: Enforcement;
}

/** Evaluates every case with the set, and lists the policies that no case covers. */
export function runCases(cases: readonly PolicyCase[], options: CasesOptions): CasesResult {
  const ran = cases.map((one) => runCase(one, options));
  const met = new Set(ran.flatMap(({ determining }) => determining));
  return {
    cases: ran.map(({ result }) => result),
    uncovered: options.policies.filter(({ id }) => !met.has(id)),
  };
}

function runCase(one: PolicyCase, options: CasesOptions) {
  const { name, file, line, expect } = one;
  const base = { name, file, line, expected: expect };
  const asked = ruleCase(one, options);
  if (typeof asked === "string")
    return { result: { ...base, passed: false, faults: [asked] }, determining: [] };

  const { kind, policies, sentence, shadow } = asked;
  const got = { kind, policies, sentence, ...(asked.kind === "block" && { code: asked.code }) };
  const faults = findCaseFaults(one, asked);
  const determining = [...policies, ...(shadow?.policies ?? []), ...listLiftedPolicies(one, options)];
  return { result: { ...base, passed: faults.length === 0, got, faults }, determining };
}

/**
 * Returns the policies that the evidence of a case lifted. It finds them by ruling on the case without evidence. These
 * policies count as covered.
 */
function listLiftedPolicies(one: PolicyCase, options: CasesOptions): readonly string[] {
  const { approvedBy, checks } = one.evidence;
  if (approvedBy.length === 0 && Object.keys(checks).length === 0) return [];
  const without = ruleCase({ ...one, evidence: { approvedBy: [], checks: {} } }, options);
  return typeof without === "string" ? [] : without.policies;
}

/** Returns the ruling, or the reason why there is none. The capability parses the input and fills in its defaults. */
function ruleCase(one: PolicyCase, { set, capability: find, enforcement }: CasesOptions): Ruling | string {
  const capability = find(one.capability);
  if (!capability) return `there is no capability \`${one.capability}\``;
  const input = capability.parseInput(one.input);
  if (input.kind === "invalid") return `the input is not valid: ${input.faults.join("; ")}`;
  const principal = toPrincipal(one);
  const subject = {
    principal,
    contract: capability.contract,
    input: input.value,
    env: one.env,
    preview: one.preview as Parameters<typeof rule>[1]["preview"],
  };
  return rule({ current: () => set }, subject, toEvidence(one, principal), {
    ...enforcement,
    mode: "enforce",
  });
}

function toPrincipal({ as: { id, kind, groups, owner, onBehalfOf } }: PolicyCase): Principal {
  return {
    tenant: "test",
    id,
    kind,
    groups,
    ...(owner !== undefined && { owner }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  };
}

/**
 * [TRUST 12] Converts the evidence of a case. The vote of a conflicted principal does not count, because Paraph would
 * reject such a vote on a real call.
 */
function toEvidence({ evidence: { approvedBy, checks } }: PolicyCase, principal: Principal): Evidence {
  const involved = conflictedPrincipals(principal);
  return {
    votes: approvedBy
      .filter(({ id }) => !involved.includes(id))
      .map(({ id, groups }) => ({ by: id, decision: "approve", as: "approver", groups })),
    checks: Object.entries(checks).map(([check, how]) => toCheckResult(check, how)),
  };
}

function toCheckResult(check: string, how: "passed" | "failed" | "error"): CheckResult {
  return { check, passed: how === "passed", findings: [], ...(how === "error" && { error: true }) };
}

function findCaseFaults({ expect, policies, sentence }: PolicyCase, ruling: Ruling): string[] {
  const faults: string[] = [];
  // A failed evaluation is never the expected ruling, even if the case expects a block.
  if (ruling.kind === "block" && ruling.code === "policy-error")
    return ["policy could not rule on the case; add the data that the policies read"];
  if (ruling.kind !== expect) faults.push(`expected ${expect}, but it is ${describeRuling(ruling)}`);
  if (policies && !hasSameMembers(policies, ruling.policies))
    faults.push(
      `expected a ruling by ${formatPolicyIds(policies)}, but it is by ${formatPolicyIds(ruling.policies)}`,
    );
  if (sentence !== undefined && sentence !== ruling.sentence)
    faults.push(`expected the sentence \`${sentence}\`, but it is \`${ruling.sentence}\``);
  return faults;
}

function describeRuling(ruling: Ruling): string {
  const code = ruling.kind === "block" ? ` (${ruling.code})` : "";
  const by = ruling.policies.length > 0 ? ` by ${formatPolicyIds(ruling.policies)}` : "";
  return `${ruling.kind}${code}${by}`;
}

function formatPolicyIds(policies: readonly string[]): string {
  return policies.length === 0 ? "no policy" : policies.map((id) => `\`${id}\``).join(", ");
}
