import { type Context, isAuthorized } from "@cedar-policy/cedar-wasm/nodejs";
import { type Contract, effects, type Json, type Question, risks } from "@paraph/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { type ParsedPolicy, parsePolicies } from "../loading/policy-text.ts";
import {
  anna,
  createContract,
  createWithdrawnTrust,
  deployContract,
  listContract,
  loadTestPolicies,
  mondayEnvironment,
  refundContract,
  removeContract,
  restartContract,
  sampleAgent,
  sampleContracts,
  sampleService,
  singleChangePreview,
  validRefundInput,
  writeContract,
} from "../testing/sample-contracts.ts";
import { createEvaluator } from "./evaluate.ts";
import { type Action, buildCedarSchema, toAction } from "./schema.ts";
import { createSlicer } from "./slices.ts";

const scopes = [
  "action",
  ...sampleContracts.map(({ name }) => `action == Action::"${name}"`),
  ...["effect:write", "effect:destroy", "risk:high", "risk:critical", "adapter:files", "unattended"].map(
    (group) => `action in Action::"${group}"`,
  ),
  'action in [Action::"effect:read", Action::"ops.deploy"]',
  'action in [Action::"adapter:billing", Action::"files.remove"]',
  "action in []",
];
const whose = [
  ...["principal", "principal", "principal", "principal is Agent", 'principal in Group::"a"'],
  ...[
    'principal == Agent::"helper"',
    'principal is Agent in Tenant::"acme"',
    'principal is Agent in Group::"b"',
  ],
];
const conditions = [
  "",
  "when { principal is Agent }",
  'when { action in Action::"risk:high" }',
  'unless { context.evidence.discharged.contains("x") }',
  'when { principal in Group::"a" }',
  'when { principal == Agent::"helper" }',
  'when { principal is Agent && principal has owner && principal.owner == Person::"anna" }',
  'when { principal in [Group::"c", Agent::"other"] }',
  'when { [principal].contains(principal) && principal is Agent in Group::"b" }',
  'when { principal in Tenant::"acme" && { who: principal }.who is Person }',
  'unless { principal in Group::"b" || principal is Person }',
  'when { Agent::"helper" in Group::"a" || Agent::"other" has owner }',
  "when { context.env.hour > 5 }",
  "when { context has preview && context.preview.changes > 0 }",
  'when { context has input && context.input has path && context.input.path == "a" }',
  'when { context.capability == "files.write" }',
  "when { 9223372036854775807 + (if principal is Agent then 1 else 0) > 0 }",
];

/** Evaluates all policies together with Cedar itself, with the complete context. */
function askCedar(policies: readonly ParsedPolicy[], action: Action, asked: Question) {
  const { principal, preview, discharged } = asked;
  const { id, tenant, groups = [], owner } = principal;
  const uid = { type: principal.kind === "agent" ? "Agent" : "Person", id };
  const parents = [{ type: "Tenant", id: tenant }, ...groups.map((name) => ({ type: "Group", id: name }))];
  const attrs = principal.kind === "agent" ? { owner: { __entity: { type: "Person", id: owner! } } } : {};
  const answer = isAuthorized({
    principal: uid,
    action: { type: "Action", id: action.contract.name },
    resource: { type: "Tenant", id: tenant },
    context: {
      capability: action.contract.name,
      input: (inputs[action.contract.name] ?? {}) as Context,
      ...(preview && {
        preview: { changes: 1, kinds: ["update"], targets: ["/srv/a"], steps: 0, risks: [] },
      }),
      evidence: { discharged: [...discharged] },
      env: { ...mondayEnvironment, hour: 9, weekday: 1 },
    },
    entities: [{ uid, attrs, parents }],
    schema: buildCedarSchema([action]),
    policies: { staticPolicies: Object.fromEntries(policies.map((one) => [one.id, one.text])) },
    validateRequest: true,
  });
  if (answer.type === "failure") throw new Error(answer.errors[0]?.message);
  const { decision, diagnostics } = answer.response;
  const failing = diagnostics.errors.map(({ policyId }) => policyId).sort();
  return failing.length > 0
    ? { decision: "deny", policies: failing, errors: failing.map((one) => `policy-failed:${one}`) }
    : { decision, policies: diagnostics.reason.toSorted(), errors: [] };
}

it("[P11] slices give the same answers as Cedar with every policy and the complete context, with and without closures", () => {
  const policy = fc.record({
    effect: fc.constantFrom("permit", "forbid"),
    who: fc.constantFrom(...whose),
    scope: fc.constantFrom(...scopes),
    condition: fc.constantFrom(...conditions),
  });
  const actions = [
    listContract,
    writeContract,
    removeContract,
    refundContract,
    deployContract,
    restartContract,
  ].map((one) => toAction(one, ["files.write"]));
  let allowed = 0;
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 8 }),
      fc.constantFrom([], ["x"]),
      fc.subarray(["a", "b", "c"]),
      fc.constantFrom(undefined, singleChangePreview),
      (made, discharged, groups, preview) => {
        const text = made.map(
          (p, i) => `@id("p${i}") ${p.effect} (${p.who}, ${p.scope}, resource) ${p.condition};`,
        );
        const policies = parsePolicies({ file: "made", text: text.join("\n") }, []);
        const slicesFor = createSlicer(policies);
        const evaluators = [
          createEvaluator(actions, slicesFor),
          createEvaluator(actions, slicesFor, createWithdrawnTrust()),
        ];
        for (const action of actions) {
          for (const who of [sampleAgent, anna, { ...sampleAgent, id: "other", owner: "eve" }]) {
            const about = { principal: { ...who, groups }, discharged, preview, env: mondayEnvironment };
            const asked = createQuestion(action.contract, about);
            const expected = askCedar(policies, action, asked);
            for (const { evaluate } of evaluators) expect(evaluate(asked)).toMatchObject(expected);
            allowed += expected.decision === "allow" ? 1 : 0;
          }
        }
      },
    ),
    { numRuns: 80 },
  );
  expect(allowed).toBeGreaterThan(100);
});

it("a policy can name every effect and risk, an adapter and `unattended`, even without a matching capability", () => {
  const groups = [
    ...effects.map((e) => `effect:${e}`),
    ...risks.map((r) => `risk:${r}`),
    "adapter:files",
    "unattended",
  ];
  const named = groups.map((group) => `Action::"${group}"`).join(", ");
  const text = `@id("all") forbid (principal, action in [${named}], resource);`;
  expect(
    loadTestPolicies(text, { contracts: [writeContract] }).evaluate(createQuestion(writeContract)).policies,
  ).toContain("all");
});

it("1,000 policies of other actions cost less time than 1,000 of the same action (prints the figures)", () => {
  const others = Array.from({ length: 20 }, (_, i) =>
    createContract(`other${i}.run`, { input: z.object({ cents: z.int() }) }),
  );
  const figures = [10, 100, 1000].map((count) => {
    const numbers = Array.from({ length: count }, (_, i) => i);
    const unrelated = loadTestPolicies(
      numbers.map((i) => formatForbid(`u${i}`, `other${i % 20}.run`)).join("\n"),
      {
        contracts: [...sampleContracts, ...others],
      },
    );
    const related = loadTestPolicies(numbers.map((i) => formatForbid(`r${i}`, "billing.refund")).join("\n"));
    return {
      policies: count,
      "unrelated p50 ms": measureMedianMs(unrelated),
      "related p50 ms": measureMedianMs(related),
    };
  });
  console.table(figures);
  expect(figures[2]!["unrelated p50 ms"]).toBeLessThan(figures[2]!["related p50 ms"]);
});

function formatForbid(id: string, action: string): string {
  return `@id("${id}") forbid (principal, action == Action::"${action}", resource) when { context.input.cents < 0 };`;
}

function measureMedianMs(set: ReturnType<typeof loadTestPolicies>): number {
  const times = Array.from({ length: 101 }, (_, i) => {
    // Every request is different, so that no answer comes from the cache.
    const asked = createQuestion(refundContract, {
      principal: sampleService,
      input: { ...validRefundInput, cents: i },
    });
    const start = performance.now();
    set.evaluate(asked);
    return performance.now() - start;
  });
  return Number(times.sort((a, b) => a - b)[50]!.toFixed(3));
}

const seenRefund = { ...validRefundInput, ratio: undefined, note: undefined };
const inputs: Record<string, Json> = {
  "files.list": { folder: "a" },
  "files.write": { path: "a" },
  "files.remove": { path: "a" },
  // Values without a Cedar type are left out.
  "billing.refund": JSON.parse(JSON.stringify(seenRefund)),
};

function createQuestion(asked: Contract, part: Partial<Question> = {}): Question {
  const input = inputs[asked.name] ?? {};
  return { principal: sampleAgent, contract: asked, input, preview: undefined, discharged: [], ...part };
}
