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

describe("couldAllow", () => {
  it("returns true for a capability that an approver may approve", () => {
    expect(canEverAllow(loadTestPolicies(""))).toBe(true);
    expect(canEverAllow(loadTestPolicies(""), listContract)).toBe(true);
  });

  it("returns false only for a principal to whom every call of the capability is forbidden", () => {
    const set = loadTestPolicies(
      '@id("no") forbid (principal is Agent, action == Action::"files.write", resource);',
    );
    expect([
      canEverAllow(set),
      canEverAllow(set, listContract),
      canEverAllow(set, writeContract, anna),
    ]).toEqual([false, true, true]);
  });

  it("returns true if the decision depends on the call", () => {
    const set = loadTestPolicies(
      '@id("no") forbid (principal, action == Action::"files.write", resource) when { context.input.path == "a" };',
    );
    expect(canEverAllow(set)).toBe(true);
  });

  it("[P11] returns false for a contract that the set was not loaded with, or a group name that is not valid text", () => {
    expect(canEverAllow(loadTestPolicies(""), { ...writeContract, name: "files.other" })).toBe(false);
    expect(canEverAllow(loadTestPolicies(""), { ...writeContract, effect: "destroy" })).toBe(false);
    expect(canEverAllow(loadTestPolicies(""), writeContract, { ...sampleAgent, groups: ["\ud800"] })).toBe(
      false,
    );
  });

  it("never returns false for a call that policy then allows", () => {
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
