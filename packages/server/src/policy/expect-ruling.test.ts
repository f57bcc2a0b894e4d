import { enforceAll, type PolicySet, type Ports, rule } from "@paraph/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  anna,
  listContract,
  loadTestPolicies,
  mondayEnvironment,
  sampleAgent,
  singleChangePreview,
  writeContract,
} from "./cedar/testing/sample-contracts.ts";
import { expectRuling } from "./expect-ruling.ts";

const portsOf = (set: PolicySet) =>
  ({
    policy: { current: () => set, refresh: async () => {} },
    settings: { enforcement: enforceAll },
  }) as unknown as Pick<Ports, "policy" | "settings">;

it("says that people decide, that a read is allowed, and that another policy reads the input", () => {
  const plain = portsOf(loadTestPolicies(""));
  expect(expectRuling(sampleAgent, writeContract, plain)).toMatchObject({
    ruling: "ask",
    dependsOnCall: false,
  });
  expect(expectRuling(sampleAgent, listContract, plain)?.ruling).toBe("allow");
  const strict = portsOf(
    loadTestPolicies(
      '@id("no") forbid (principal, action == Action::"files.write", resource) when { context.input.path == "a" };',
    ),
  );
  expect(expectRuling(sampleAgent, writeContract, strict)).toMatchObject({
    ruling: "ask",
    dependsOnCall: true,
  });
});

it("[P11] a set that fails blocks", () => {
  const broken = { ...portsOf(loadTestPolicies("")) };
  const policy = {
    current: () => {
      throw new Error("no set can be loaded");
    },
    refresh: async () => {},
  };
  expect(expectRuling(sampleAgent, writeContract, { ...broken, policy })?.ruling).toBe("block");
  const changed = { ...writeContract, effect: "destroy" } as const;
  expect(expectRuling(sampleAgent, changed, broken)?.ruling).toBe("block");
});

it("is the ruling on every call, unless a policy reads the call", () => {
  const lines = [
    'forbid (principal is Agent, action in Action::"effect:write", resource)',
    'forbid (principal in Group::"a", action, resource)',
    "permit (principal is Person, action, resource)",
    "forbid (principal, action, resource) when { context has preview }",
  ];
  fc.assert(
    fc.property(
      fc.subarray(lines),
      fc.constantFrom(writeContract, listContract),
      fc.constantFrom(sampleAgent, anna, { ...sampleAgent, groups: ["a"] }),
      (chosen, contract, principal) => {
        const set = loadTestPolicies(chosen.map((line, index) => `@id("p${index}") ${line};`).join("\n"));
        const expected = expectRuling(principal, contract, portsOf(set));
        const call = {
          ...{ principal, contract, preview: singleChangePreview, env: mondayEnvironment },
          input: { path: "a", folder: "f" },
        };
        const real = rule({ current: () => set }, call, { votes: [] });
        if (expected && !expected.dependsOnCall)
          expect([expected.ruling, expected.sentence]).toEqual([real.kind, real.sentence]);
        else expect(chosen).toContain(lines[3]);
      },
    ),
    { numRuns: 50 },
  );
});
