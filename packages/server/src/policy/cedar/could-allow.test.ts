import type { PolicySet, Principal } from "@paraph/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agent,
  anna,
  contracts,
  list,
  load,
  monday,
  oneChange,
  refund,
  validRefund,
  write,
} from "./test-capabilities.ts";

const could = (set: PolicySet, contract = write, principal: Principal = agent) =>
  set.couldAllow!(principal, contract);

describe("whether any call could be allowed", () => {
  it("what a person may approve could be", () => {
    expect(could(load(""))).toBe(true);
    expect(could(load(""), list)).toBe(true);
  });

  it("what is forbidden whatever the call is never, to whom it is forbidden", () => {
    const set = load('@id("no") forbid (principal is Agent, action == Action::"files.write", resource);');
    expect([could(set), could(set, list), could(set, write, anna)]).toEqual([false, true, true]);
  });

  it("what depends on the call cannot be told", () => {
    const set = load(
      '@id("no") forbid (principal, action == Action::"files.write", resource) when { context.input.path == "a" };',
    );
    expect(could(set)).toBe(true);
  });

  it("[P11] a contract that the set was not loaded with, or a name that is no text, is nothing it could allow", () => {
    expect(could(load(""), { ...write, name: "files.other" })).toBe(false);
    expect(could(load(""), { ...write, effect: "destroy" })).toBe(false);
    expect(could(load(""), write, { ...agent, groups: ["\ud800"] })).toBe(false);
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
        fc.constantFrom(...contracts),
        fc.constantFrom<Principal>(agent, anna, { ...agent, groups: ["a"] }),
        fc.boolean(),
        (chosen, contract, principal, met) => {
          const set = load(chosen.map((line, index) => `@id("p${index}") ${line};`).join("\n"));
          const input = contract === refund ? validRefund : { path: "a", folder: "f" };
          const discharged = met ? [...set.guards.keys()] : [];
          const question = { principal, contract, input, preview: oneChange, env: monday, discharged };
          if (set.evaluate(question).decision === "allow")
            expect(set.couldAllow!(principal, contract)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
