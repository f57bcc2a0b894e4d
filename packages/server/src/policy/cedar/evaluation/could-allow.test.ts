import type { PolicySet, Principal } from "@paraph/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anna,
  listContract,
  loadTestPolicies,
  mondayEnvironment,
  refundContract,
  sampleAgent,
  sampleContracts,
  singleChangePreview,
  validRefundInput,
  writeContract,
} from "../testing/sample-contracts.ts";

const canEverAllow = (set: PolicySet, contract = writeContract, principal: Principal = sampleAgent) =>
  set.couldAllow!(principal, contract);

describe("whether any call could be allowed", () => {
  it("what a person may approve could be", () => {
    expect(canEverAllow(loadTestPolicies(""))).toBe(true);
    expect(canEverAllow(loadTestPolicies(""), listContract)).toBe(true);
  });

  it("what is forbidden whatever the call is never, to whom it is forbidden", () => {
    const set = loadTestPolicies(
      '@id("no") forbid (principal is Agent, action == Action::"files.write", resource);',
    );
    expect([
      canEverAllow(set),
      canEverAllow(set, listContract),
      canEverAllow(set, writeContract, anna),
    ]).toEqual([false, true, true]);
  });

  it("what depends on the call cannot be told", () => {
    const set = loadTestPolicies(
      '@id("no") forbid (principal, action == Action::"files.write", resource) when { context.input.path == "a" };',
    );
    expect(canEverAllow(set)).toBe(true);
  });

  it("[P11] a contract that the set was not loaded with, or a name that is no text, is nothing it could allow", () => {
    expect(canEverAllow(loadTestPolicies(""), { ...writeContract, name: "files.other" })).toBe(false);
    expect(canEverAllow(loadTestPolicies(""), { ...writeContract, effect: "destroy" })).toBe(false);
    expect(canEverAllow(loadTestPolicies(""), writeContract, { ...sampleAgent, groups: ["\ud800"] })).toBe(
      false,
    );
  });

  it("never hides what is then allowed", () => {
    const lines = [
      ...["agent", "person"].flatMap((who) => {
        const type = who === "agent" ? "Agent" : "Person";
        return [
          `forbid (principal is ${type}, action, resource)`,
          `forbid (principal is ${type}, action in Action::"effect:write", resource) when { context has preview }`,
          `permit (principal is ${type}, action, resource) when { context.env.hour > 5 }`,
        ];
      }),
      'forbid (principal in Group::"a", action, resource)',
      'forbid (principal, action, resource) when { context.evidence.discharged.contains("unattended-writes-need-a-person") }',
    ];
    fc.assert(
      fc.property(
        fc.subarray(lines),
        fc.constantFrom(...sampleContracts),
        fc.constantFrom<Principal>(sampleAgent, anna, { ...sampleAgent, groups: ["a"] }),
        fc.boolean(),
        (chosen, contract, principal, met) => {
          const set = loadTestPolicies(chosen.map((line, index) => `@id("p${index}") ${line};`).join("\n"));
          const input = contract === refundContract ? validRefundInput : { path: "a", folder: "f" };
          const discharged = met ? [...set.guards.keys()] : [];
          const question = {
            principal,
            contract,
            input,
            preview: singleChangePreview,
            env: mondayEnvironment,
            discharged,
          };
          if (set.evaluate(question).decision === "allow")
            expect(set.couldAllow!(principal, contract)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
