import { validate } from "@cedar-policy/cedar-wasm/nodejs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { buildCedarSchema, toAction } from "../evaluation/schema.ts";
import { createContract, sampleContracts } from "../testing/sample-contracts.ts";
import { parsePolicies } from "./policy-text.ts";
import { validatePolicies } from "./validation.ts";

/** Many capabilities that differ in ways that a policy can or cannot distinguish. */
const actions = [
  ...sampleContracts,
  ...Array.from({ length: 40 }, (_, i) =>
    createContract(`many${i % 4}.do${i}`, {
      effect: i % 3 === 0 ? "read" : "write",
      input:
        i % 5 === 0
          ? z.object({ path: z.int() })
          : z.object({ path: z.string(), deep: z.object({ n: z.int() }) }),
    }),
  ),
].map((one) => toAction(one, ["files.write"]));

const scopes = [
  "action",
  'action == Action::"files.write"',
  'action == Action::"many1.do5"',
  'action == Action::"no.such"',
  'action in [Action::"many2.do2", Action::"many0.do4", Action::"effect:destroy"]',
  ...["effect:write", "effect:read", "risk:critical", "adapter:many3", "adapter:admin", "adapter:none"].map(
    (group) => `action in Action::"${group}"`,
  ),
];
const conditions = [
  "true",
  "principal is Agent && principal is Person",
  "principal is Agent && principal has owner",
  "principal.owner == principal",
  'principal in Group::"x"',
  "context.env.hour > 5",
  "context.env.mood > 5",
  "context.preview.rows > 5",
  "context has preview && context.preview.rows > 5",
  "context has preview && context.preview has rows && context.preview.rows > 5",
  'context.capability like "many*"',
  "context.input.path > 5",
  'context.input.path like "a*"',
  'context has input && context.input has path && context.input.path like "a*"',
  "context has input && context.input has deep && context.input.deep.n > 1",
  "context has input && context.input has deep.n && context.input.deep.n > 1",
  'action in Action::"adapter:many1" && context.input.path > 5',
  'action in Action::"effect:write" || context.input.path like "b"',
  'action == Action::"many1.do5" && context.input.path > 1',
  'action == Action::"nobody.knows"',
  "{ all: context }.all.input.path > 5",
  'context.evidence.discharged.contains("x")',
];

it("[P11] validating a policy against few actions finds the same faults as against all actions", () => {
  const policy = fc.record({
    scope: fc.constantFrom(...scopes),
    kind: fc.constantFrom("when", "unless"),
    condition: fc.constantFrom(...conditions),
  });
  const schema = buildCedarSchema(actions);
  const seen = { faulty: 0, impossible: 0, fine: 0 };
  fc.assert(
    fc.property(fc.array(policy, { minLength: 1, maxLength: 12 }), (made) => {
      const text = made
        .map((p, i) => `@id("p${i}") forbid (principal, ${p.scope}, resource) ${p.kind} { ${p.condition} };`)
        .join("\n");
      const policies = parsePolicies({ file: "made", text }, []);
      const whole = validate({
        schema,
        policies: { staticPolicies: Object.fromEntries(policies.map((one) => [one.id, one.text])) },
        validationSettings: { mode: "strict" },
      });
      if (whole.type === "failure") throw new Error("the schema is broken");
      const { faults, impossible } = validatePolicies(policies, actions);
      // The number of equal faults depends on the number of actions that Cedar sees, so only kinds of faults are
      // compared.
      const kinds = (id: string, message: string) =>
        `${id}: ${message.replaceAll(/`[^`]*`|Action::"[^"]*"/g, "…").slice(0, 40)}`;
      const expected = whole.validationErrors.map(({ policyId, error }) =>
        kinds(policyId, error.message.replace(/^for policy `[^`]*`, /, "").replace(/; .*$/s, "")),
      );
      const found = faults.map((fault) => {
        const [, id = "", message = ""] = /^`(p\d+)`: (.*?)(?:; .*)?$/s.exec(fault.sentence) ?? [];
        return kinds(id, message.replace(" and other actions", ""));
      });
      expect([...new Set(found)].sort()).toEqual([...new Set(expected)].sort());
      const never = whole.validationWarnings
        .filter(({ error }) => error.message.includes("impossible"))
        .map(({ policyId }) => policyId);
      expect([...impossible].map(({ id }) => id).sort()).toEqual([...new Set(never)].sort());
      seen.faulty += found.length;
      seen.impossible += impossible.size;
      seen.fine += policies.length - new Set(expected.map((one) => one.split(":")[0])).size;
    }),
    { numRuns: 150 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});

it("reports a fault once that Cedar repeats for every action", () => {
  const text = '@id("a")\nforbid (principal, action, resource)\nwhen { context.inputt.n > 3 };';
  const { faults } = validatePolicies(parsePolicies({ file: "p.cedar", text }, []), actions);
  expect(faults).toEqual([
    {
      file: "p.cedar",
      line: 3,
      sentence: expect.stringMatching(
        /^`a`: attribute `inputt` in context for Action::"[^"]+" and other actions not found; did you mean `input`\?$/,
      ),
    },
  ]);
});
