import {
  preparsePolicySet,
  preparseSchema,
  type StatefulAuthorizationCall,
} from "@cedar-policy/cedar-wasm/nodejs";
import type { Evaluation, Question } from "@paraph/core";
import { SeededRandom } from "@paraph/core/testing";
import { callParts } from "../analysis/context-use.ts";
import { type CedarRequest, toCallValues, toCedarRequest } from "../evaluation/cedar-request.ts";
import { toClosureRequest } from "../evaluation/closures/closure-request.ts";
import { compilePolicies } from "../evaluation/closures/compile-policies.ts";
import { askCedar, isSameEvaluation, tryOrUndefined } from "../evaluation/evaluate-slice.ts";
import { buildCedarSchema, toAction } from "../evaluation/schema.ts";
import type { PolicySlice } from "../evaluation/slices.ts";
import { type ParsedPolicy, parsePolicies } from "../loading/policy-text.ts";
import { groupNames, PolicyGenerator } from "./random-policies.ts";
import { QuestionGenerator, randomContract } from "./random-questions.ts";

/** The counts of a comparison. */
export interface ComparisonCounts {
  /** Questions that closures and Cedar both answered. */
  compared: number;
  allowed: number;
  forbidden: number;
  notPermitted: number;
  failed: number;
  /** Questions that closures left to Cedar. */
  leftToCedar: number;
  policySets: number;
}

export const createComparisonCounts = (): ComparisonCounts => ({
  compared: 0,
  allowed: 0,
  forbidden: 0,
  notPermitted: 0,
  failed: 0,
  leftToCedar: 0,
  policySets: 0,
});

/** A question on which closures and Cedar disagree. */
export interface Disagreement {
  readonly text: string;
  readonly question: Question;
  readonly closures: Evaluation;
  readonly cedar: Evaluation;
}

const action = toAction(randomContract, [randomContract.name]);
const names = { preparsedPolicySetId: "comparison", preparsedSchemaName: "comparison" };

/**
 * Generates one policy set and asks it random questions, with closures and with Cedar. Cedar gets every policy and the
 * whole request. Returns the disagreements.
 */
export function compareRandomSet(seed: string, questions: number, counts: ComparisonCounts): Disagreement[] {
  const random = new SeededRandom(seed);
  const text = new PolicyGenerator(random).policies();
  const generator = new QuestionGenerator(random);
  const ask = createComparison(text, random.chance() < 0.1);
  counts.policySets += 1;
  return Array.from({ length: questions }, () => generator.question()).flatMap((question) => {
    const answers = ask(question);
    countAnswer(counts, answers?.cedar);
    return answers && !isSameEvaluation(answers.closures, answers.cedar)
      ? [{ text, question, ...answers }]
      : [];
  });
}

/**
 * Creates a function that evaluates a question with closures and with Cedar. It returns undefined if closures leave the
 * question to Cedar. Without the schema, Cedar gets the action's groups as entities, and takes half the time.
 */
export function createComparison(
  text: string,
  withSchema = true,
): (question: Question) => Pick<Disagreement, "closures" | "cedar"> | undefined {
  const policies = parseAll(text);
  const compiled = compilePolicies(policies);
  const slice: PolicySlice = {
    getNames: () => names,
    compiled,
    use: { parts: new Set(callParts), discharged: undefined },
    groups: new Set(groupNames),
    onlyLiftedByEvidence: false,
    canPermit: true,
    canSeeIdentity: true,
  };
  // Cedar never frees what it prepared under a name, but a new content under the same name replaces the old one.
  const staticPolicies = Object.fromEntries(policies.map((policy) => [policy.id, policy.text]));
  preparsePolicySet(names.preparsedPolicySetId, { staticPolicies });
  if (withSchema) preparseSchema(names.preparsedSchemaName, buildCedarSchema([action]));
  return (question) => {
    const faults: string[] = [];
    const values = toCallValues(question, action, [slice], faults);
    if (faults.length > 0) throw new Error(`The generated question has faults: ${faults.join(", ")}`);
    const closures = tryOrUndefined(() => compiled?.(toClosureRequest(question, action, values)));
    if (!closures) return undefined;
    const request = toCedarRequest(question, action, values, slice);
    return { closures, cedar: askCedar(withSchema ? { ...request, ...names } : toUntypedRequest(request)) };
  };
}

function toUntypedRequest(request: CedarRequest): StatefulAuthorizationCall {
  const parents = action.groups.map((id) => ({ type: "Action", id }));
  return {
    ...request,
    entities: [...request.entities, { uid: request.action, attrs: {}, parents }],
    validateRequest: false,
    preparsedPolicySetId: names.preparsedPolicySetId,
  };
}

function parseAll(text: string): ParsedPolicy[] {
  const faults: { sentence: string }[] = [];
  const policies = parsePolicies({ file: "random.cedar", text }, faults as never);
  if (faults.length > 0) throw new Error(`${faults[0]!.sentence} in ${text}`);
  return policies;
}

function countAnswer(counts: ComparisonCounts, answer: Evaluation | undefined): void {
  if (!answer) {
    counts.leftToCedar += 1;
    return;
  }
  counts.compared += 1;
  if (answer.errors.length > 0) counts.failed += 1;
  else if (answer.decision === "allow") counts.allowed += 1;
  else if (answer.policies.length > 0) counts.forbidden += 1;
  else counts.notPermitted += 1;
}
