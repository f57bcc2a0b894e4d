import { describe, expect, it } from "vitest";
import type { Evaluation, Guard, PolicySet, Question } from "./policy.ts";
import { isDischarged, rule, type Vote } from "./ruling.ts";
import { outsideCapabilities } from "./testing/outside.ts";

const guard = (id: string, given: Partial<Guard> = {}): Guard => ({
  id,
  ruling: "ask",
  quorum: 1,
  urgency: "normal",
  sentence: "Because.",
  ...given,
});
const yes = (by: string): Vote => ({ by, decision: "approve", as: "approver" });
const subject = {
  principal: { tenant: "acme", id: "agent", kind: "agent" },
  contract: outsideCapabilities[0]!.contract,
  input: {},
  preview: undefined,
} as const;

/** A set whose guards forbid until discharged, with further policies that deny, fail or permit as told. */
function setOf(guards: Guard[], more: (question: Question) => Partial<Evaluation> = () => ({})): PolicySet {
  return {
    version: "v1",
    guards: new Map(guards.map((one) => [one.id, one])),
    evaluate(question) {
      const open = guards.map(({ id }) => id).filter((id) => !question.discharged.includes(id));
      const base: Evaluation = { decision: open.length > 0 ? "deny" : "allow", policies: open, errors: [] };
      return { ...base, ...more(question) };
    },
  };
}
const ruling = (set: PolicySet, votes: Vote[] = []) => rule({ current: () => set }, subject, votes);

describe("rule", () => {
  it("allows what policy allows, and says which version it asked", () => {
    expect(ruling(setOf([]))).toEqual({ kind: "allow", policies: [], version: "v1" });
  });

  it("asks what all open guards demand, at the strictest urgency", () => {
    const guards = [
      guard("a"),
      guard("b", { urgency: "critical", quorum: 2 }),
      guard("c", { urgency: "high" }),
    ];
    expect(ruling(setOf(guards))).toMatchObject({
      kind: "ask",
      urgency: "critical",
      policies: ["a", "b", "c"],
      guards,
    });
  });

  it("[P5] asks only what votes have not discharged, and allows once all are", () => {
    const set = setOf([guard("one"), guard("two", { quorum: 2 })]);
    expect(ruling(set, [yes("ana")])).toMatchObject({ kind: "ask", policies: ["two"] });
    expect(ruling(set, [yes("ana"), yes("bo")])).toMatchObject({ kind: "allow" });
  });

  it("[P11] blocks when nothing permits, when a plain policy forbids, and when both do", () => {
    expect(ruling(setOf([], () => ({ decision: "deny" })))).toMatchObject({
      kind: "block",
      code: "not-permitted",
    });
    const forbidden = setOf([], () => ({ decision: "deny", policies: ["plain"] }));
    expect(ruling(forbidden)).toMatchObject({ kind: "block", code: "forbidden", policies: ["plain"] });
    const mixed = setOf([guard("a")], () => ({ decision: "deny", policies: ["a", "plain"] }));
    expect(ruling(mixed)).toMatchObject({ kind: "block", code: "forbidden" });
  });

  it("asks nobody in vain: what would be denied after every yes is blocked at once", () => {
    const set = setOf([guard("a")], ({ discharged }) =>
      discharged.includes("a") ? { decision: "deny", policies: ["plain"] } : {},
    );
    expect(ruling(set)).toMatchObject({ kind: "block", code: "forbidden", policies: ["plain"] });
    const broken = setOf([guard("a")], ({ discharged }) =>
      discharged.includes("a") ? { errors: ["oops"] } : {},
    );
    expect(ruling(broken)).toMatchObject({ kind: "block", code: "policy-error" });
  });

  it("[P11] any error inside policy blocks, even beside an allow", () => {
    expect(ruling(setOf([], () => ({ errors: ["type"] })))).toMatchObject({
      kind: "block",
      code: "policy-error",
    });
    const throwing = setOf([], () => {
      throw new Error("wasm trap");
    });
    expect(ruling(throwing)).toMatchObject({ kind: "block", code: "policy-error", version: "v1" });
    const none = {
      current: (): PolicySet => {
        throw new Error("not loaded");
      },
    };
    expect(rule(none, subject, [])).toMatchObject({ kind: "block", code: "policy-error", version: "none" });
  });
});

describe("a quorum", () => {
  it("[P5] counts people, not votes, and only those who approve", () => {
    const two = guard("two", { quorum: 2 });
    expect(isDischarged(two, [yes("ana"), yes("ana")])).toBe(false);
    expect(isDischarged(two, [yes("ana"), { ...yes("bo"), decision: "deny" }])).toBe(false);
    expect(isDischarged(two, [yes("ana"), yes("bo")])).toBe(true);
  });
});
