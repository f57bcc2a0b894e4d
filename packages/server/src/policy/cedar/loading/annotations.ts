import type { LoadFault } from "./load-fault.ts";
import type { ParsedPolicy } from "./policy-text.ts";

/** The annotations of a policy by name. An annotation without a value is null. */
export type Annotations = Readonly<Record<string, string | null>>;

export function readAnnotations(policy: ParsedPolicy): Annotations {
  return { ...policy.json.annotations };
}

/** Whether the permit lets agents and services act without confirmation. See `features.executor_confirm`. */
export function isUnattended(policy: ParsedPolicy): boolean {
  return "unattended" in readAnnotations(policy);
}

/** Whether the policy is a shadow policy, whose ruling is recorded and not applied. */
export function isShadow(policy: ParsedPolicy): boolean {
  return "shadow" in readAnnotations(policy);
}

/** Whether the policy is meant for capabilities that may appear later. Such a policy may apply to nothing today. */
export function isForFuture(policy: ParsedPolicy): boolean {
  return "future" in readAnnotations(policy);
}

/** Returns the author's sentence about this policy, for people. */
export function readSentence(policy: ParsedPolicy): string | undefined {
  return readAnnotations(policy).sentence ?? undefined;
}

/**
 * Checks the annotations that any policy may have, and returns their faults. `parseGuard` checks the annotations of
 * guards.
 */
export function findAnnotationFaults(policy: ParsedPolicy): LoadFault[] {
  const annotations = readAnnotations(policy);
  const { file, line, id } = policy;
  const faults: LoadFault[] = [];
  const need = (holds: boolean, problem: string) =>
    holds || faults.push({ file, line, sentence: `\`${id}\`: ${problem}` });

  need(!("sentence" in annotations) || !!annotations.sentence?.trim(), '`@sentence("…")` is empty');
  // Rejects a value on these annotations, because it would look like a condition. For example, `@unattended("false")`
  // would still mean unattended.
  for (const name of ["unattended", "shadow", "future"]) {
    need(!annotations[name], `\`@${name}\` must not have a value`);
  }
  need(
    !isUnattended(policy) || policy.json.effect === "permit",
    "`@unattended` is only for a `permit`, because a `forbid` allows nothing",
  );
  return faults;
}
