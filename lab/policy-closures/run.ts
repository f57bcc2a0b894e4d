import {
  compareRandomSet,
  createComparisonCounts,
  type Disagreement,
} from "../../packages/server/src/policy/cedar/testing/compare-evaluators.ts";
import type { Violation } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";

const questionsPerSet = 200;

/**
 * [P11] Evaluates random questions on random policy sets with closures and with Cedar. Their answers must be equal:
 * the decision, the policies that determine it, and the policies that fail.
 */
export async function runPolicyClosures(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const wanted = options.calls ?? (options.quick ? 5_000 : 1_000_000);
  const until =
    options.minutes === undefined ? Number.POSITIVE_INFINITY : startedAt + options.minutes * 60_000;
  const counts = createComparisonCounts();
  const violations: Violation[] = [];
  while (counts.compared < wanted && Date.now() < until && violations.length < 20) {
    const seed = `${options.seed}-${counts.policySets}`;
    violations.push(...compareRandomSet(seed, questionsPerSet, counts).map(toViolation));
    if (counts.policySets % 100 === 0) options.progress(`${counts.compared}/${wanted} compared`);
  }
  const total = counts.compared + counts.leftToCedar;
  return {
    run: "policy-closures",
    seed: options.seed,
    violations,
    timelines: {},
    covers: [
      `${counts.compared.toLocaleString("en")} questions on ${counts.policySets.toLocaleString("en")} random policy sets, each answered by closures and by Cedar.`,
      `Of these, ${counts.failed.toLocaleString("en")} ended in an error of a policy, for example a missing attribute or an operand of a wrong type.`,
      `Closures left ${Math.round((100 * counts.leftToCedar) / Math.max(1, total))} % of all questions to Cedar.`,
    ],
    figures: { ...counts, seconds: Math.round((Date.now() - startedAt) / 1_000) },
  };
}

function toViolation({ text, question, closures, cedar }: Disagreement): Violation {
  const { contract: _, ...asked } = question;
  const what = `closures: ${JSON.stringify(closures)}, Cedar: ${JSON.stringify(cedar)}, policies: ${text}, question: ${JSON.stringify(asked)}`;
  return { rule: "P11", call: "", what };
}
