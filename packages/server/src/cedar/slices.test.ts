import { type Contract, effects, type Question, risks } from "@paraph/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { evaluator } from "./evaluate.ts";
import { singlePolicies } from "./policy-text.ts";
import { actionOf } from "./schema.ts";
import { slicesOf } from "./slices.ts";
import {
  agent,
  anna,
  contract,
  contracts,
  load,
  monday,
  oneChange,
  refund,
  service,
  validRefund,
  write,
} from "./test-capabilities.ts";

const scopes = [
  "action",
  ...contracts.map(({ name }) => `action == Action::"${name}"`),
  ...["effect:write", "effect:destroy", "risk:high", "risk:critical", "adapter:files", "unattended"].map(
    (group) => `action in Action::"${group}"`,
  ),
  'action in [Action::"effect:read", Action::"ops.deploy"]',
  'action in [Action::"adapter:billing", Action::"files.remove"]',
  "action in []",
];
const conditions = [
  "",
  "when { principal is Agent }",
  'when { action in Action::"risk:high" }',
  'unless { context.evidence.discharged.contains("x") }',
  'when { principal in Group::"a" }',
  'unless { principal in Group::"b" || principal is Person }',
  "when { context.env.hour > 5 }",
  "when { context has preview && context.preview.changes > 0 }",
  'when { context has input && context.input has path && context.input.path == "a" }',
  'when { context.capability == "files.write" }',
  "when { 9223372036854775807 + (if principal is Agent then 1 else 0) > 0 }",
];

/** Never applies, and looks at everything: beside it Cedar is told all there is. */
const seesAll = `@id("sees-all") forbid (principal, action, resource)
when { context == context && [Group::"a", Group::"b", Group::"c"].contains(Group::"d") && false };`;

it("a slice answers as the whole set does, told only what it can look at", () => {
  const policy = fc.record({
    effect: fc.constantFrom("permit", "forbid"),
    scope: fc.constantFrom(...scopes),
    condition: fc.constantFrom(...conditions),
  });
  const actions = contracts.map((one) => actionOf(one, ["files.write"]));
  let allowed = 0;
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 8 }),
      fc.constantFrom([], ["x"]),
      fc.subarray(["a", "b", "c"]),
      fc.constantFrom(undefined, oneChange),
      (made, discharged, groups, preview) => {
        const text = made.map(
          (p, i) => `@id("p${i}") ${p.effect} (principal, ${p.scope}, resource) ${p.condition};`,
        );
        const policies = singlePolicies({ file: "made", text: text.join("\n") }, []);
        const all = [...policies, ...singlePolicies({ file: "all", text: seesAll }, [])];
        const sliced = evaluator(actions, slicesOf(policies));
        const whole = evaluator(
          actions,
          slicesOf(all, () => true),
        );
        for (const asked of contracts) {
          for (const who of [agent, anna]) {
            const about = { principal: { ...who, groups }, discharged, preview, env: monday };
            const answer = sliced(question(asked, about));
            expect(answer).toEqual(whole(question(asked, about)));
            allowed += answer.decision === "allow" ? 1 : 0;
          }
        }
      },
    ),
    { numRuns: 100 },
  );
  expect(allowed).toBeGreaterThan(100);
});

it("a policy speaks of every effect, risk and adapter, also where no capability is", () => {
  const groups = [
    ...effects.map((e) => `effect:${e}`),
    ...risks.map((r) => `risk:${r}`),
    "adapter:files",
    "unattended",
  ];
  const list = groups.map((group) => `Action::"${group}"`).join(", ");
  const text = `@id("all") forbid (principal, action in [${list}], resource);`;
  expect(load(text, { contracts: [write] }).evaluate(question(write)).policies).toContain("all");
});

it("costs what the policies of its action cost (figures printed, hardly asserted)", () => {
  const others = Array.from({ length: 20 }, (_, i) =>
    contract(`other${i}.run`, { input: z.object({ cents: z.int() }) }),
  );
  const figures = [10, 100, 1000].map((count) => {
    const numbers = Array.from({ length: count }, (_, i) => i);
    const unrelated = load(numbers.map((i) => forbid(`u${i}`, `other${i % 20}.run`)).join("\n"), {
      contracts: [...contracts, ...others],
    });
    const related = load(numbers.map((i) => forbid(`r${i}`, "billing.refund")).join("\n"));
    return { policies: count, "unrelated p50 ms": p50(unrelated), "related p50 ms": p50(related) };
  });
  console.table(figures);
  expect(figures[2]!["unrelated p50 ms"]).toBeLessThan(figures[2]!["related p50 ms"]);
}, 120_000);

function forbid(id: string, action: string): string {
  return `@id("${id}") forbid (principal, action == Action::"${action}", resource) when { context.input.cents < 0 };`;
}

function p50(set: ReturnType<typeof load>): number {
  const times = Array.from({ length: 101 }, (_, i) => {
    // Someone new each time, so that no answer is remembered.
    const asked = question(refund, { principal: { ...service, id: `nightly-${i}` }, input: validRefund });
    const start = performance.now();
    set.evaluate(asked);
    return performance.now() - start;
  });
  return Number(times.sort((a, b) => a - b)[50]!.toFixed(3));
}

function question(asked: Contract, part: Partial<Question> = {}): Question {
  const input = asked.name === "billing.refund" ? validRefund : { path: "a", folder: "a" };
  return { principal: agent, contract: asked, input, preview: undefined, discharged: [], ...part };
}
