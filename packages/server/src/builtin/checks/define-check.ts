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
import { withoutQuotes } from "./check-fault.ts";
import type { Turns } from "./turns.ts";

export type Finding = CheckResult["findings"][number];

export interface Judgement {
  readonly passed: boolean;
  readonly score?: number;
  readonly findings: readonly Finding[];
}

export interface CheckDefinition {
  /** The part of the name after `check.`. */
  readonly what: string;
  readonly summary: string;
  readonly timeout: Duration;
  readonly judge: (input: CheckInput, world: ExecutionContext) => Promise<Judgement>;
}

/** The one shape of every built-in check: a read that waits its turn, answers in the standard form and quotes nothing when it fails. */
export function defineCheck({ what, summary, timeout, judge }: CheckDefinition, turns: Turns): Capability {
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
    apply: async (input, world) => {
      try {
        return shortened(await turns.take(world.signal, () => judge(input, world)));
      } catch (error) {
        throw withoutQuotes(error, world.signal);
      }
    },
  });
}

/** Passed, unless something was found. */
export function passedUnless(findings: readonly Finding[]): Judgement {
  return { passed: findings.length === 0, findings };
}

/** The same said twice helps nobody. */
export function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.code} ${finding.sentence}`, finding])).values()];
}

/** Passed, and why there was nothing to judge. */
export function nothingToJudge(code: string, sentence: string): Judgement {
  return { passed: true, findings: [{ code, sentence }] };
}

const mostFindings = 200;

/** A hostile input can have more faults than a result may list: what is left out is said. */
function shortened({ findings, ...rest }: Judgement) {
  if (findings.length <= mostFindings) return { ...rest, findings: [...findings] };
  const listed = findings.slice(0, mostFindings - 1);
  const sentence = `${findings.length - listed.length} more findings are not listed.`;
  return { ...rest, findings: [...listed, { code: "more-findings", sentence }] };
}
