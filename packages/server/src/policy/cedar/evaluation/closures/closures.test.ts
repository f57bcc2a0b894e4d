import { type Evaluation, type Question, rule } from "@paraph/core";
import { SeededRandom } from "@paraph/core/testing";
import { describe, expect, it, vi } from "vitest";
import { parsePolicies } from "../../loading/policy-text.ts";
import {
  compareRandomSet,
  createComparison,
  createComparisonCounts,
} from "../../testing/compare-evaluators.ts";
import { QuestionGenerator, randomContract } from "../../testing/random-questions.ts";
import { loadTestPolicies } from "../../testing/sample-contracts.ts";
import { createEvaluator } from "../evaluate.ts";
import { toAction } from "../schema.ts";
import { createSlicer, type PolicySlice } from "../slices.ts";
import { createClosureTrust } from "./closure-trust.ts";
import { isSampled } from "./sampling.ts";

const sample = {
  principal: { tenant: "acme", id: "helper", kind: "agent", owner: "anna", groups: ["staff"] },
  contract: randomContract,
  input: {
    ...{ text: "a*b", constructor: "😀" as never, cents: Number.MAX_SAFE_INTEGER, flag: true },
    ...{ tags: ["x", "x"], nested: [["x"]], customer: { country: "DE" } },
  },
  preview: undefined,
  discharged: ["p1"],
  env: { at: 0, callsLastHour: 0, callsLastDay: 0, deniedLastHour: 0, spentToday: 0 },
} as const;

describe("closures", () => {
  it("[P11] rule on random questions as Cedar does", () => {
    const counts = createComparisonCounts();
    const found = Array.from({ length: 60 }, (_, n) => compareRandomSet(`ci-${n}`, 50, counts));
    expect(found.flat().slice(0, 3)).toEqual([]);
    // The comparison is meaningful only if every kind of answer occurred.
    const { compared, allowed, forbidden, notPermitted, failed, leftToCedar } = counts;
    expect(compared).toBeGreaterThan(2_000);
    for (const count of [allowed, forbidden, notPermitted, failed, leftToCedar])
      expect(count).toBeGreaterThan(100);
  });

  it.each<[string, "holds" | "does not hold" | "fails" | "left to Cedar"]>([
    ['false && 1 + "a" == 2', "does not hold"],
    ['true || 1 + "a" == 2', "holds"],
    ["true && context.input.cents", "fails"],
    ["context.input.cents || true", "fails"],
    ['if true then true else 1 < "a"', "holds"],
    ['1 == "1" || principal == action', "does not hold"],
    ['context.input has "if" && context.input["if"] > 1', "does not hold"],
    ['context.input["if"] > 1', "fails"],
    ['context has "toString" || context.input has "hasOwnProperty"', "does not hold"],
    ['context.input.constructor == "😀"', "holds"],
    ['context.input.constructor like "?"', "does not hold"],
    [
      'context.input.text like "a\\*b" && context.input.text like "*b" && context.input.text like "*"',
      "holds",
    ],
    [
      'context.input.text like "a" || context.input.text like "*a" || context.input.text like "ba*"',
      "does not hold",
    ],
    ['"ab" like "ab*b"', "does not hold"],
    ['context.input.cents like "1"', "fails"],
    ['"é" == "e\\u{301}"', "does not hold"],
    ['context.input.tags == ["x"]', "holds"],
    ['["a", 1, true].containsAll([true, "a"]) && ![1].containsAny(["1"]) && [].isEmpty()', "holds"],
    ['context.input.text.contains("a")', "fails"],
    ['{ "__proto__": 1, b: [2] } == { b: [2, 2], "__proto__": 1 }', "holds"],
    ['{ "__proto__": 1 } == {}', "does not hold"],
    ['{ a: 1 } has "__proto__"', "does not hold"],
    [
      'principal in Group::"staff" && principal in Tenant::"acme" && principal in [Group::"x", principal]',
      "holds",
    ],
    ['principal in ["staff"]', "fails"],
    ['principal in Action::"staff" || resource in Group::"staff"', "does not hold"],
    ['Agent::"helper" in Group::"staff" && Agent::"helper".owner == Person::"anna"', "holds"],
    ['action in Action::"effect:write" && action in Action::"lab.act"', "holds"],
    ["principal.owner.owner == principal || true", "fails"],
    ["principal.owner has owner || resource has owner", "does not hold"],
    ['principal is Agent in Group::"staff" && !(principal is Person in "staff")', "holds"],
    ["context.input.cents is Agent", "fails"],
    ["context.input.cents == 9007199254740991 && -context.input.cents < 0", "holds"],
    ["context.input.cents + 1 > 0", "left to Cedar"],
    ["context.input.cents * context.input.cents > 0", "left to Cedar"],
    ["9223372036854775807 + (if context.input.flag then 1 else 0) > 0", "left to Cedar"],
    ['context.input.nested.contains(["x"])', "left to Cedar"],
    ['Action::"other" in Action::"effect:write"', "left to Cedar"],
    ['decimal("1.0").lessThan(decimal("2.0"))', "left to Cedar"],
    ['ip("10.0.0.1").isInRange(ip("10.0.0.0/8"))', "left to Cedar"],
    ['datetime("2026-01-01") < datetime("2026-01-02")', "left to Cedar"],
    ['principal.hasTag("x")', "left to Cedar"],
  ])("%s: %s", (condition, expected) => {
    const text = `@id("p") permit (principal, action, resource) when { ${condition} };`;
    expect(describeAnswers(createComparison(text)(sample))).toBe(expected);
  });

  it.each([
    ['(principal == Agent::"helper", action in [Action::"risk:high"], resource == Tenant::"acme")', "holds"],
    ['(principal is Agent in Group::"staff", action == Action::"lab.act", resource is Tenant)', "holds"],
    ['(principal is Person in Group::"staff", action, resource)', "does not hold"],
    ['(principal in Group::"other", action, resource)', "does not hold"],
    ["(principal, action in [], resource)", "does not hold"],
  ])("the scope %s: %s", (scope, expected) => {
    // The condition fails if it is evaluated, so a scope that does not match must end the evaluation.
    const condition = expected === "holds" ? "true" : "context.missing";
    const text = `@id("p") permit ${scope} when { ${condition} };`;
    expect(describeAnswers(createComparison(text)(sample))).toBe(expected);
  });

  it("a `like` with many wildcards takes no exponential time", () => {
    const ask = createComparison(
      '@id("p") permit (principal, action, resource) when { context.input.text like "*a*a*a*a*a*a*a*a*a*a*a*a*b" };',
    );
    const question = { ...sample, input: { ...sample.input, text: "a".repeat(5_000) } };
    expect(ask(question)?.closures.decision).toBe("deny");
  });
});

/** Describes the answer about a permit. Closures and Cedar must give the same answer. */
function describeAnswers(answers: ReturnType<ReturnType<typeof createComparison>>): string {
  if (!answers) return "left to Cedar";
  const { closures, cedar } = answers;
  expect(closures).toMatchObject(cedar);
  if (cedar.errors.length > 0) return "fails";
  return cedar.decision === "allow" ? "holds" : "does not hold";
}

describe("the comparison with Cedar at run time", () => {
  const text = '@id("p") forbid (principal, action, resource) when { context.input.flag };';
  const action = toAction(randomContract, []);
  const forbidden: Evaluation = { decision: "deny", policies: ["p"], errors: [] };
  const disagreement = { decision: "deny", policies: [], errors: ["evaluators-disagree"] };
  const { samplingInterval } = createClosureTrust();
  const generator = new QuestionGenerator(new SeededRandom("sampling"));
  const questions = Array.from({ length: 2_000 }, () => ({ ...generator.question(), input: sample.input }));
  const isChosen = (question: Question) =>
    isSampled(question, { input: sample.input } as never, samplingInterval);

  /** Creates an evaluator with these closures in place of the right ones. */
  const createBroken = (answer: () => Evaluation) => {
    const trust = createClosureTrust();
    const compiled = vi.fn(answer);
    const slicesFor = createSlicer(parsePolicies({ file: "made", text }, []));
    const broken = (slice: PolicySlice) => ({ ...slice, compiled });
    const { evaluate } = createEvaluator([action], (each) => slicesFor(each).map(broken), trust);
    return {
      evaluate: (question: Question) => evaluate({ ...question, preview: undefined }),
      trust,
      compiled,
    };
  };

  it("covers about the intended share of the requests, and always the same ones", () => {
    const chosen = questions.filter(isChosen);
    expect(chosen.length).toBeGreaterThan(questions.length / samplingInterval / 2);
    expect(chosen.length).toBeLessThan((questions.length / samplingInterval) * 2);
    expect(questions.filter(isChosen)).toEqual(chosen);
  });

  it("[P11] a disagreement blocks the call, raises one alarm, and leaves all later questions to Cedar", () => {
    const { evaluate, trust, compiled } = createBroken(() => ({ ...forbidden, decision: "allow" }));
    const alarm = vi.fn();
    trust.onWithdrawal(alarm);
    const chosen = questions.find(isChosen)!;
    expect(evaluate(chosen)).toEqual(disagreement);
    expect([alarm.mock.calls.length, trust.isTrusted()]).toEqual([1, false]);
    for (const question of [chosen, ...questions.slice(0, 5)]) expect(evaluate(question)).toEqual(forbidden);
    expect(compiled).toHaveBeenCalledTimes(1);
    expect(alarm).toHaveBeenCalledTimes(1);
    const set = { ...loadTestPolicies(""), evaluate: () => disagreement as Evaluation };
    const ruling = rule({ current: () => set }, chosen, { votes: [] });
    expect(ruling).toMatchObject({ kind: "block", code: "policy-error" });
  });

  it("[P11] Cedar refuses a principal of an unknown kind, which closures leave to it", () => {
    const trust = createClosureTrust(1);
    const slicesFor = createSlicer(parsePolicies({ file: "made", text }, []));
    const { evaluate } = createEvaluator([action], slicesFor, trust);
    const question = { ...sample, principal: { ...sample.principal, kind: "robot" as never } };
    expect(evaluate(question).errors).not.toEqual([]);
    expect(trust.isTrusted()).toBe(true);
  });

  it("an error of closures is always compared, and an exception leaves the question to Cedar", () => {
    const unchosen = questions.find((question) => !isChosen(question))!;
    const failing = createBroken(() => ({ ...forbidden, errors: ["policy-failed:p"] }));
    expect(failing.evaluate(unchosen)).toEqual(disagreement);
    const throwing = createBroken(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    expect(throwing.evaluate(unchosen)).toEqual(forbidden);
    expect(throwing.trust.isTrusted()).toBe(true);
  });
});
