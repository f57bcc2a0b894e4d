import {
  type Capability,
  type CheckInput,
  type CheckResult,
  checkInput,
  checkResult,
  type Duration,
  defineCapability,
  type ExecutionContext,
} from "@paraph/core";
import { toSafeError } from "./check-error.ts";
import type { ConcurrencyQueue } from "./concurrency-queue.ts";

export type CheckFinding = CheckResult["findings"][number];

/** The verdict of a check, with its findings. */
export interface CheckVerdict {
  readonly passed: boolean;
  readonly score?: number;
  readonly findings: readonly CheckFinding[];
}

/** The definition of a built-in check. */
export interface CheckDefinition {
  /** The part of the name after `check.`. */
  readonly name: string;
  readonly summary: string;
  readonly timeout: Duration;
  readonly judge: (input: CheckInput, context: ExecutionContext) => Promise<CheckVerdict>;
}

/**
 * Defines a built-in check. A check has the effect `read`, waits for its turn in the queue and returns a standard
 * result. If the check fails, its error quotes no input.
 */
export function defineCheck(
  { name: what, summary, timeout, judge }: CheckDefinition,
  turns: ConcurrencyQueue,
): Capability {
  return defineCapability({
    name: `check.${what}`,
    version: 1,
    summary,
    effect: "read",
    idempotency: "natural",
    input: checkInput,
    output: checkResult,
    sensitive: ["input", "preview"],
    timeout,
    retry: { retries: 0 },
    apply: async (input, context) => {
      try {
        return limitFindings(await turns.run(context.signal, () => judge(input, context)));
      } catch (error) {
        throw toSafeError(error, context.signal);
      }
    },
  });
}

/** Returns a verdict that passes if there is no finding. */
export function toVerdict(findings: readonly CheckFinding[]): CheckVerdict {
  return { passed: findings.length === 0, findings };
}

/** Removes repeated findings. */
export function removeDuplicates(findings: readonly CheckFinding[]): CheckFinding[] {
  return [...new Map(findings.map((finding) => [`${finding.code} ${finding.sentence}`, finding])).values()];
}

/** Returns a passing verdict with the reason why there was nothing to check. */
export function createPassedVerdict(code: string, sentence: string): CheckVerdict {
  return { passed: true, findings: [{ code, sentence }] };
}

const maxFindings = 200;

/**
 * Limits the number of findings, because a hostile input can cause more findings than a result may list. The last
 * finding states how many are left out.
 */
function limitFindings({ findings, ...rest }: CheckVerdict) {
  if (findings.length <= maxFindings) return { ...rest, findings: [...findings] };
  const listed = findings.slice(0, maxFindings - 1);
  const sentence = `${findings.length - listed.length} more findings are not listed.`;
  return { ...rest, findings: [...listed, { code: "more-findings", sentence }] };
}
