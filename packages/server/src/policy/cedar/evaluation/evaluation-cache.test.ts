import { policyToJson, statefulIsAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import type { Evaluation, Json, PolicySet, Preview, Principal, Question } from "@paraph/core";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readContextUse } from "../analysis/context-use.ts";
import { parsePolicies } from "../loading/policy-text.ts";
import type { PolicyOptions } from "../policy-document.ts";
import {
  anna,
  createWithdrawnTrust,
  loadTestPolicies as loadPolicies,
  mondayEnvironment,
  refundContract,
  ruleContract,
  sampleAgent,
  singleChangePreview,
  validRefundInput,
  writeContract,
} from "../testing/sample-contracts.ts";
import { createEvaluator } from "./evaluate.ts";
import { createBoundedCache } from "./evaluation-cache.ts";
import { toAction } from "./schema.ts";
import { createSlicer } from "./slices.ts";

vi.mock("@cedar-policy/cedar-wasm/nodejs", async (original) => {
  const cedar = await original<typeof import("@cedar-policy/cedar-wasm/nodejs")>();
  return { ...cedar, statefulIsAuthorized: vi.fn(cedar.statefulIsAuthorized) };
});
const engine = vi.mocked(statefulIsAuthorized);
/** Only Cedar's answers are cached, so these tests do without closures. */
const trust = createWithdrawnTrust();
const loadTestPolicies = (text?: string, options: PolicyOptions = {}) =>
  loadPolicies(text, { ...options, trust });
beforeEach(() => {
  engine.mockClear();
});

const readers = [
  "context.input.cents > 100",
  'context["input"]["cents"] > 100',
  "context.input has express && context.input.express",
  'context.input.customer.country == "XX"',
  "context has preview",
  "context has preview && context.preview.changes > 1",
  'context has preview.targets && context["preview"].targets.contains("/srv/a")',
  "context.env.hour > 12",
  "context has env && context.env.callsLastHour > 100",
  "context == context",
  "{ all: context }.all.input.cents > 100",
  "[context].contains(context)",
  "{ a: { b: context.input } }.a.b.cents > 100",
  "(if principal is Agent then context else context).input.cents > 100",
  "(if context has preview then 1 else 2) == 1",
  "context has evidence",
  'context.evidence.discharged.contains(if context.input.cents > 100 then "x" else "y")',
  "context.evidence.discharged.contains(context.input.payment)",
  "context.evidence == { discharged: [context.input.payment] }",
];
const blind = [
  "principal is Agent",
  'principal == Agent::"helper"',
  'principal in Tenant::"acme"',
  'principal in Group::"staff"',
  'principal in Group::"staff" || principal in Group::"interns"',
  'context.capability == "files.write"',
  'resource == Tenant::"other"',
  'principal is Agent && principal has owner && principal.owner == Person::"anna"',
  'action in Action::"effect:write"',
  "9223372036854775807 + (if principal is Agent then 1 else 0) > 0",
  'context.evidence.discharged.contains("x")',
  'context["evidence"]["discharged"].contains("y")',
  'context.evidence.discharged.containsAll(["x", "y"])',
  'context.evidence.discharged.containsAny(["z"])',
  "context.evidence.discharged.isEmpty()",
  'context.evidence.discharged == ["x"]',
];

const policies = fc.array(
  fc.record({
    effect: fc.constantFrom("permit", "permit", "forbid"),
    scope: fc.constantFrom("principal", "principal is Agent", 'principal in Tenant::"acme"'),
    on: fc.constantFrom("action", 'action == Action::"files.write"', 'action == Action::"billing.refund"'),
    kind: fc.constantFrom("when", "unless"),
    // Most conditions do not read the call, so that most slices are cached.
    condition: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...blind) }, fc.constantFrom(...readers)),
  }),
  { minLength: 1, maxLength: 4 },
);
const principal: fc.Arbitrary<Principal> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(sampleAgent, anna) },
  fc.record(
    {
      tenant: fc.constantFrom("acme", "other"),
      id: fc.constantFrom("helper", "anna"),
      kind: fc.constantFrom("agent", "person", "service"),
      owner: fc.constantFrom("anna", "eve"),
      groups: fc.subarray(["staff", "interns", "other"]),
    },
    { requiredKeys: ["tenant", "id", "kind"] },
  ),
);
const preview: fc.Arbitrary<Preview | undefined> = mostlyArbitrary(
  [
    undefined,
    singleChangePreview,
    { changes: [...singleChangePreview.changes, { kind: "create", target: "/b" }], basis: {} },
  ],
  [createPreview("\ud800"), createPreview(5)],
);
const refundInput = fc.record({
  contract: fc.constant(refundContract),
  input: mostlyArbitrary<Json>(
    [
      validRefundInput,
      { ...validRefundInput, cents: 5 },
      { ...validRefundInput, payment: "x", express: false },
    ],
    [{ ...validRefundInput, cents: 0.5 }, { cents: 1 }, { ...validRefundInput, tags: new Array(1) }],
  ),
});
const writeInput = fc.record({
  contract: mostlyArbitrary([writeContract], [{ ...writeContract, risk: "low" as const }]),
  input: mostlyArbitrary<Json>([{ path: "a" }, { path: "b" }], [{}]),
});
const env = fc.constantFrom(mondayEnvironment, {
  ...mondayEnvironment,
  at: mondayEnvironment.at + 5 * 3_600_000,
  callsLastHour: 500,
});
const discharged = fc.array(fc.constantFrom("x", "y", "z", "other"), { maxLength: 3 });
const questions = fc.array(
  fc
    .tuple(fc.oneof(refundInput, writeInput), fc.record({ principal, preview, discharged, env }))
    .map(([call, rest]): Question => ({ ...call, ...rest })),
  { minLength: 40, maxLength: 40 },
);

it("[P11] a cached answer equals the answer that Cedar gives", () => {
  const actions = [writeContract, refundContract].map((contract) => toAction(contract, []));
  const seen = { asked: 0, remembered: 0, allowed: 0, erred: 0 };
  fc.assert(
    fc.property(policies, questions, (made, asked) => {
      const text = made.map(
        (p, i) => `@id("p${i}") ${p.effect} (${p.scope}, ${p.on}, resource) ${p.kind} { ${p.condition} };`,
      );
      const sliceFor = createSlicer(parsePolicies({ file: "made", text: text.join("\n") }, []));
      const { evaluate } = createEvaluator(actions, sliceFor, trust);
      for (const question of asked) {
        const before = engine.mock.calls.length;
        const answer = evaluate(question);
        const wasAsked = engine.mock.calls.length > before;
        // The cache belongs to its evaluator, so a new evaluator asks Cedar.
        expect(answer).toEqual(createEvaluator(actions, sliceFor, trust).evaluate(question));
        seen.asked += wasAsked ? 1 : 0;
        seen.remembered += !wasAsked && answer.errors.length === 0 ? 1 : 0;
        seen.allowed += answer.decision === "allow" ? 1 : 0;
        seen.erred += answer.errors.length > 0 ? 1 : 0;
      }
    }),
    { numRuns: 200 },
  );
  console.log("memory against Cedar:", seen);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});

describe("the context that a slice reads", () => {
  const useOf = (condition: string) => {
    const parsed = policyToJson(`permit (principal, action, resource) when { ${condition} };`);
    if (parsed.type === "failure") throw new Error(parsed.errors[0]?.message);
    return readContextUse(parsed);
  };

  it.each(readers)("includes the call for the condition %s", (condition) => {
    expect(useOf(condition).parts.size).toBeGreaterThan(0);
    expect(useOf(`principal is Agent || !(${condition})`).parts.size).toBeGreaterThan(0);
  });

  it.each(blind)("excludes the call for the condition %s", (condition) => {
    expect(useOf(condition).parts.size).toBe(0);
  });

  it("includes the evidence ids that a condition names, or all of them", () => {
    const contains = (id: string) => `context.evidence.discharged.contains("${id}")`;
    expect(useOf(`${contains("x")} || ${contains("y")}`).discharged).toEqual(new Set(["x", "y"]));
    expect(useOf(`${contains("x")} || context.evidence.discharged.isEmpty()`).discharged).toBeUndefined();
    expect(useOf("principal is Agent").discharged).toEqual(new Set());
  });

  it.each([
    ["context.input.cents > 100", { input: { ...validRefundInput, cents: 5 } }],
    ['context["input"]["cents"] > 100', { input: { ...validRefundInput, cents: 5 } }],
    ["context.input has express", { input: { payment: "p", cents: 5, customer: { country: "DE" } } }],
    [
      'context.input.customer.country == "DE"',
      { input: { ...validRefundInput, customer: { country: "XX" } } },
    ],
    ["{ a: context.input.cents }.a > 100", { input: { ...validRefundInput, cents: 5 } }],
    ["!(context has preview)", { preview: singleChangePreview }],
    ["!(context has preview && context.preview.changes > 0)", { preview: singleChangePreview }],
  ])("a forbid when %s is evaluated again for each call", (condition, other) => {
    const text = `@id("f") forbid (principal, action == Action::"billing.refund", resource) when { ${condition} };`;
    const set = loadTestPolicies(text, { unattended: ["billing.refund"] });
    const first = createQuestion({ contract: refundContract, input: validRefundInput });
    for (const _ of [1, 2]) {
      expect(set.evaluate(first).policies).toEqual(["f"]);
      expect(set.evaluate({ ...first, ...other }).decision).toBe("allow");
    }
    // Cedar evaluates the policies that read the call once for each call, and the other policies only once.
    expect(engine).toHaveBeenCalledTimes(5);
  });

  it("a ruling asks Cedar about the call once, although it evaluates without and with all possible evidence", () => {
    const set = loadTestPolicies(
      '@id("f") forbid (principal, action == Action::"billing.refund", resource) when { context.input.cents < 0 };',
    );
    for (const cents of [1, 2, 3]) {
      expect(ruleContract(set, refundContract, { input: { ...validRefundInput, cents } }).kind).toBe("ask");
    }
    // Cedar evaluates the preset's policies twice, without and with evidence, and the added policy once for each call.
    expect(engine).toHaveBeenCalledTimes(2 + 3);
  });

  it("principals share a cached answer only if no policy distinguishes them", () => {
    const asked = (set: PolicySet, part: Partial<Principal>) =>
      set.evaluate(createQuestion({ principal: { ...sampleAgent, ...part } })).policies;
    const blind = loadTestPolicies('@id("f") forbid (principal in Group::"interns", action, resource);');
    for (const id of ["a", "b", "c"]) asked(blind, { id, owner: `of-${id}`, groups: ["other"] });
    expect(engine).toHaveBeenCalledTimes(1);
    expect(asked(blind, { groups: ["interns"] })).toContain("f");
    for (const condition of [
      'principal == Agent::"b"',
      'principal has owner && principal.owner == Person::"of-b"',
    ]) {
      const seeing = loadTestPolicies(
        `@id("f") forbid (principal is Agent, action, resource) when { ${condition} };`,
      );
      const met = ["a", "b", "c"].map((id) => asked(seeing, { id, owner: `of-${id}` }).includes("f"));
      expect(met).toEqual([false, true, false]);
    }
  });

  it("a slice that reads the call does not prevent the caching of other slices", () => {
    const set = loadTestPolicies(
      '@id("f") forbid (principal, action == Action::"billing.refund", resource) when { context.input.cents < 0 };',
    );
    for (const path of ["a", "b", "c"])
      set.evaluate(createQuestion({ input: { path }, preview: singleChangePreview }));
    expect(engine).toHaveBeenCalledTimes(1);
  });
});

describe("the cache", () => {
  it("starts empty for each policy set, even for an equal one", () => {
    for (const count of [1, 2]) {
      const set = loadTestPolicies();
      for (const _ of [1, 2, 3]) set.evaluate(createQuestion());
      expect(engine).toHaveBeenCalledTimes(count);
    }
  });

  it("distinguishes only the discharged ids that the slice reads", () => {
    const set = loadTestPolicies();
    set.evaluate(createQuestion());
    set.evaluate(createQuestion({ discharged: ["high-risk-needs-a-person", "elsewhere"] }));
    expect(engine).toHaveBeenCalledTimes(1);
    expect(set.evaluate(createQuestion({ discharged: ["unattended-writes-need-a-person"] })).decision).toBe(
      "allow",
    );
    expect(set.evaluate(createQuestion()).decision).toBe("deny");
  });

  it.each<[string, Partial<Question>, string]>([
    ["a contract that changed", { contract: { ...writeContract, risk: "low" } }, "contract-changed"],
    ["an input that lacks something", { input: {} }, "input-missing:input.path"],
    ["an input that does not fit", { input: { path: 5 } }, "input-unfit:input.path"],
    ["a target that is no text", { preview: createPreview(5) }, "text-unfit"],
    ["a target that is no Unicode", { preview: createPreview("\ud800") }, "text-unfit"],
    ["evidence that is no text", { discharged: [5 as unknown as string] }, "text-unfit"],
    [
      "an owner that is no text",
      { principal: { ...sampleAgent, owner: null as unknown as string } },
      "text-unfit",
    ],
  ])("[P11] does not hide the error for %s", (_, part, code) => {
    const set = loadTestPolicies();
    expect(set.evaluate(createQuestion({ preview: singleChangePreview })).errors).toEqual([]);
    expect(set.evaluate(createQuestion(part)).errors).toEqual([code]);
  });

  it.each<[string, Partial<Question>]>([
    ["target", { preview: createPreview("\ud800") }],
    ["principal", { principal: { ...sampleAgent, id: "\ud800" } }],
    ["owner", { principal: { ...sampleAgent, owner: "\ud800" } }],
    ["tenant", { principal: { ...sampleAgent, tenant: "\ud800" } }],
    ["piece of evidence", { discharged: ["\ud800"] }],
  ])(
    "[P11] never passes a %s with invalid Unicode to Cedar, which would fail after many of them",
    (_, part) => {
      expect(loadTestPolicies().evaluate(createQuestion(part)).errors).toEqual(["text-unfit"]);
      expect(engine).not.toHaveBeenCalled();
    },
  );

  it("[P11] does not store errors", () => {
    const set = loadTestPolicies();
    engine.mockImplementationOnce(() => {
      throw new Error("out of memory");
    });
    expect(set.evaluate(createQuestion()).errors).toEqual(["engine-failed"]);
    expect(set.evaluate(createQuestion()).errors).toEqual([]);

    const remembered = createBoundedCache(10);
    const ask = vi.fn((): Evaluation => ({ decision: "deny", policies: [], errors: ["e"] }));
    for (const _ of [1, 2]) remembered("key", ask);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it("drops the oldest entry when it is full, and returns answers that callers cannot change", () => {
    const remembered = createBoundedCache(2);
    const ask = vi.fn((): Evaluation => ({ decision: "allow", policies: ["p"], errors: [] }));
    for (const key of ["a", "b", "c", "c", "b"]) remembered(key, ask);
    expect(ask).toHaveBeenCalledTimes(3);
    const answer = remembered("a", ask);
    expect(ask).toHaveBeenCalledTimes(4);
    expect(() => (answer.policies as string[]).push("q")).toThrow(TypeError);
  });
});

it("evaluation is faster if no policy reads the call (prints the figures)", () => {
  const reading = loadTestPolicies(
    '@id("f") forbid (principal, action == Action::"billing.refund", resource) when { context.input.cents < 0 };',
  );
  const figures = [
    { slice: "balanced, remembered", "µs per evaluate": measureMicros(loadTestPolicies(), 5000) },
    { slice: "reads input", "µs per evaluate": measureMicros(reading, 300) },
  ];
  console.table(figures);
  expect(figures[0]!["µs per evaluate"]).toBeLessThan(figures[1]!["µs per evaluate"]);
});

function measureMicros(set: PolicySet, times: number): number {
  const ask = (cents: number) =>
    set.evaluate(
      createQuestion({
        contract: refundContract,
        input: { ...validRefundInput, cents },
        preview: singleChangePreview,
      }),
    );
  for (let i = 0; i < times / 5; i += 1) ask(i);
  const start = performance.now();
  for (let i = 0; i < times; i += 1) ask(i);
  return Number((((performance.now() - start) * 1000) / times).toFixed(1));
}

function mostlyArbitrary<T>(usual: T[], rare: T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...rare));
}

function createPreview(target: unknown): Preview {
  return { changes: [{ kind: "update", target: target as string }], basis: {} };
}

function createQuestion(part: Partial<Question> = {}): Question {
  return {
    principal: sampleAgent,
    contract: writeContract,
    input: { path: "a" },
    preview: undefined,
    discharged: [],
    ...part,
  };
}
