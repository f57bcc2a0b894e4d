import type { LoadFault } from "./load-fault.ts";
import type { ParsedPolicy } from "./policy-text.ts";

/** An annotation without a value reads as null. */
export type Annotations = Readonly<Record<string, string | null>>;

export function readAnnotations(policy: ParsedPolicy): Annotations {
  return { ...policy.json.annotations };
}

/** A permit that is meant for use while nobody watches: see `features.executor_confirm`. */
export function isUnattended(policy: ParsedPolicy): boolean {
  return "unattended" in readAnnotations(policy);
}

/** A policy on trial: what it would say is recorded and hinders nothing. */
export function isShadow(policy: ParsedPolicy): boolean {
  return "shadow" in readAnnotations(policy);
}

/** A policy for capabilities that may appear later. That it applies to nothing today is meant. */
export function isForFuture(policy: ParsedPolicy): boolean {
  return "future" in readAnnotations(policy);
}

/** What the author says to people about this policy. */
export function readSentence(policy: ParsedPolicy): string | undefined {
  return readAnnotations(policy).sentence ?? undefined;
}

/** Annotations that any policy may have; a guard's own are `guardOf`'s to judge. */
export function findAnnotationFaults(policy: ParsedPolicy): LoadFault[] {
  const annotations = readAnnotations(policy);
  const { file, line, id } = policy;
  const faults: LoadFault[] = [];
  const need = (holds: boolean, problem: string) =>
    holds || faults.push({ file, line, sentence: `\`${id}\`: ${problem}` });

  need(!("sentence" in annotations) || !!annotations.sentence?.trim(), '`@sentence("…")` is empty');
  // A value could only be read as a condition, and `@unattended("false")` must not mean yes.
  for (const name of ["unattended", "shadow", "future"]) {
    need(!annotations[name], `\`@${name}\` stands alone, without a value`);
  }
  need(
    !isUnattended(policy) || policy.json.effect === "permit",
    "`@unattended` belongs to a `permit`: a forbid allows nothing",
  );
  return faults;
}
