import type { Contract, Guard } from "@paraph/core";
import type { Action } from "../evaluation/schema.ts";
import { isForFuture, isShadow, isUnattended, readSentence } from "../loading/annotations.ts";
import type { ParsedPolicy } from "../loading/policy-text.ts";
import { type PolicyReading, readPolicies } from "../loading/read-policies.ts";
import { isPresetPolicy, type PolicyDocument } from "../policy-document.ts";
import { canApply } from "./scope.ts";

/**
 * A problem that the linter reports to the author. An `error` means that the set does not load, or that the group of a
 * guard has too few members to approve.
 */
export interface PolicyFinding {
  readonly weight: "error" | "warning";
  readonly code:
    | "invalid"
    | "sentence-missing"
    | "applies-to-nothing"
    | "guard-unreachable"
    | "unapprovable"
    | "too-few-people"
    | "permit-without-effect"
    | "unattended-without-effect";
  readonly file: string;
  readonly line?: number;
  readonly policy?: string;
  readonly sentence: string;
}

/** The number of people in a tenant. */
export interface PeopleCount {
  readonly all: number;
  readonly byGroup: ReadonlyMap<string, number>;
}

/** Options of `lintPolicies`. */
export interface LintOptions {
  /** The number of people. Without it, the linter does not check whether there are enough approvers. */
  readonly people?: PeopleCount;
}

/** Returns the invalid, useless or misleading parts of a document, in the order of its files. */
export function lintPolicies(
  document: PolicyDocument,
  contracts: readonly Contract[],
  { people }: LintOptions = {},
): readonly PolicyFinding[] {
  const reading = readPolicies(document, contracts);
  if (reading.faults.length > 0) {
    return reading.faults.map((fault) => ({ weight: "error", code: "invalid", ...fault }));
  }
  const guards = new Map(reading.guards.map((guard) => [guard.id, guard]));
  const findings = reading.policies.flatMap((policy) => {
    const guard = guards.get(policy.id);
    const undischarged = guard && people ? findUnapprovableGuard(policy, guard, people) : [];
    // A preset policy or a policy for future capabilities may apply to nothing, so the linter does not report it as
    // useless.
    return isPresetPolicy(policy, document) || isForFuture(policy)
      ? undischarged
      : [...undischarged, ...findUselessPolicy(policy, guard, reading)];
  });
  return [...findings, ...findUselessUnattended(document)];
}

function findUselessPolicy(
  policy: ParsedPolicy,
  guard: Guard | undefined,
  reading: PolicyReading,
): PolicyFinding[] {
  const about = { weight: "warning", file: policy.file, line: policy.line, policy: policy.id } as const;
  const { id } = policy;
  const findings: PolicyFinding[] = [];
  if (guard && readSentence(policy) === undefined) {
    const sentence = `\`${id}\` has no \`@sentence\`, so approvers and requesters do not learn the reason`;
    findings.push({ ...about, code: "sentence-missing", sentence });
  }
  const actions = reading.actions.filter((action) => canApply(policy, action));
  if (actions.length === 0 || reading.impossible.has(policy)) {
    const sentence = `\`${id}\` has no effect, because no call of any capability can match it`;
    return [...findings, { ...about, code: "applies-to-nothing", sentence }];
  }
  const forbidding = findCoveringPolicies(policy, actions, reading, (other) => isPlainForbid(other, reading));
  if (forbidding && guard) {
    const sentence = `\`${id}\` has no effect, because ${forbidding} forbids everything that it applies to`;
    return [...findings, { ...about, code: "guard-unreachable", sentence }];
  }
  if (policy.json.effect !== "permit") return findings;
  const permitting = findCoveringPolicies(policy, actions, reading, (other) =>
    isPermitAsWide(other, policy, reading),
  );
  const reason = forbidding
    ? `${forbidding} forbids everything it permits`
    : permitting && `${permitting} already permits all of it`;
  if (!reason) return findings;
  return [
    ...findings,
    { ...about, code: "permit-without-effect", sentence: `\`${id}\` changes nothing: ${reason}` },
  ];
}

function findUnapprovableGuard(
  { file, line, id }: ParsedPolicy,
  { group, quorum, ruling, onFail }: Guard,
  { all, byGroup }: PeopleCount,
): PolicyFinding[] {
  if (ruling === "check" && onFail !== "ask") return [];
  const about = { file, line, policy: id };
  const people = group === undefined ? all : (byGroup.get(group) ?? 0);
  if (group !== undefined && people < quorum) {
    const sentence = `\`${id}\` needs ${formatPeople(quorum, "approver")} of the group \`${group}\`, which has ${formatPeople(people, "member")}, so its calls cannot be approved until you add people: \`paraph groups add ${group} PERSON\``;
    return [{ weight: "error", code: "unapprovable", ...about, sentence }];
  }
  // A quorum of 1 is left out, because the only person of a tenant may confirm their own requests.
  if (quorum < 2 || people > quorum) return [];
  const place = group === undefined ? "the tenant" : `the group \`${group}\``;
  const sentence = `\`${id}\` needs ${quorum} approvers, and ${place} has ${formatPeople(people, "person")}. The owner of an agent cannot approve its calls, so ${place} needs ${quorum + 1} people. Add a person with \`paraph invite\``;
  return [{ weight: "warning", code: "too-few-people", ...about, sentence }];
}

function formatPeople(count: number, noun: "approver" | "member" | "person"): string {
  if (count === 0) return `no ${noun}s`;
  return count === 1 ? `one ${noun}` : `${count} ${noun === "person" ? "people" : `${noun}s`}`;
}

function findUselessUnattended({ preset, unattended }: PolicyDocument): PolicyFinding[] {
  if (preset.name !== "strict" || unattended.length === 0) return [];
  const sentence = "`strict` asks about every write, so naming capabilities as unattended has no effect";
  return [{ weight: "warning", code: "unattended-without-effect", file: "unattended", sentence }];
}

/**
 * Returns the ids of the unconditional policies that together cover all of these actions. Returns undefined if an
 * action is not covered.
 */
function findCoveringPolicies(
  policy: ParsedPolicy,
  actions: readonly Action[],
  { policies }: PolicyReading,
  counts: (other: ParsedPolicy) => boolean,
): string | undefined {
  const covering = policies.filter(
    (other) => other !== policy && isUnconditional(other, policy) && !isShadow(other) && counts(other),
  );
  const used = actions.map((action) => covering.find((other) => canApply(other, action)));
  if (used.some((other) => other === undefined)) return undefined;
  return [...new Set(used.map((other) => `\`${other!.id}\``))].join(" and ");
}

function isUnconditional({ json }: ParsedPolicy, than: ParsedPolicy): boolean {
  const isAsWide = (name: "principal" | "resource") =>
    json[name].op === "All" || JSON.stringify(json[name]) === JSON.stringify(than.json[name]);
  return json.conditions.length === 0 && isAsWide("principal") && isAsWide("resource");
}

function isPlainForbid({ id, json }: ParsedPolicy, { guards }: PolicyReading): boolean {
  return json.effect === "forbid" && !guards.some((guard) => guard.id === id);
}

/**
 * Whether the other policy is a permit that can make this one superfluous. Of two identical permits, the linter reports
 * only the later one.
 */
function isPermitAsWide(other: ParsedPolicy, policy: ParsedPolicy, { policies }: PolicyReading): boolean {
  const isDuplicate =
    JSON.stringify([other.json.action, other.json.conditions]) ===
    JSON.stringify([policy.json.action, policy.json.conditions]);
  const isLater = policies.indexOf(other) > policies.indexOf(policy);
  return (
    other.json.effect === "permit" &&
    (isUnattended(other) || !isUnattended(policy)) &&
    !(isDuplicate && isLater)
  );
}
