import { describe, expect, it } from "vitest";
import type { Grant } from "../grant.ts";
import { externalCapabilities } from "../testing/simulation/external-system.ts";
import type { CheckResult } from "./check.ts";
import { type Evidence, isDischarged, type Vote } from "./evidence.ts";
import type { Evaluation, Guard, PolicySet, Question } from "./policy.ts";
import { rule } from "./rule.ts";
import type { Enforcement, Subject } from "./ruling.ts";

const guard = (id: string, given: Partial<Guard> = {}): Guard => ({
  id,
  ruling: "ask",
  quorum: 1,
  urgency: "normal",
  sentence: `Because of ${id}.`,
  ...given,
});
const check = (id: string, given: Partial<Guard> = {}) =>
  guard(id, { ruling: "check", checks: [`check.${id}`], onFail: "refuse", ...given });
const yes = (by: string, ...groups: string[]): Vote => ({ by, decision: "approve", as: "approver", groups });
const result = (name: string, result: Partial<CheckResult> = {}): CheckResult => ({
  check: `check.${name}`,
  passed: true,
  findings: [],
  ...result,
});
const { contract } = externalCapabilities.find((one) => one.contract.effect === "write")!;
const person: Subject = {
  principal: { tenant: "acme", id: "pat", kind: "person" },
  contract,
  input: { cents: 500 },
  preview: undefined,
};
const agent: Subject = {
  ...person,
  principal: { tenant: "acme", id: "agent", kind: "agent", owner: "owen" },
};
const grant: Grant = {
  id: "grant_1",
  capability: contract.name,
  bounds: { cents: { atMost: 1_000 } },
  people: [{ by: "ana", groups: ["leads"] }],
  countLeft: 2,
  expiresAt: 1,
};

/**
 * Returns a set whose guards forbid a call until they are discharged. `more` adds policies that deny, fail or permit.
 */
function setOf(
  guards: Guard[],
  more: (question: Question) => Partial<Evaluation> = () => ({}),
  set: Partial<PolicySet> = {},
): PolicySet {
  return {
    version: "v1",
    guards: new Map(guards.map((one) => [one.id, one])),
    unattended: new Set(["free"]),
    readsEnvironment: () => false,
    evaluate(question) {
      const open = guards.map(({ id }) => id).filter((id) => !question.discharged.includes(id));
      const base: Evaluation = { decision: open.length > 0 ? "deny" : "allow", policies: open, errors: [] };
      return { ...base, ...more(question) };
    },
    ...set,
  };
}

interface About {
  readonly subject?: Subject;
  readonly evidence?: Partial<Evidence>;
  readonly enforcement?: Enforcement;
}
const ruling = (set: PolicySet, { subject = person, evidence, enforcement }: About = {}) =>
  rule({ current: () => set }, subject, { votes: [], ...evidence }, enforcement);
const byVotes = (...votes: Vote[]) => ({ evidence: { votes } });

describe("rule", () => {
  it("allows a call that policy allows, and names the policy version", () => {
    expect(ruling(setOf([]))).toEqual({
      kind: "allow",
      policies: [],
      version: "v1",
      sentence: "",
      discharged: [],
    });
  });

  it("asks for all open guards, with the highest urgency and the earliest deadline", () => {
    const guards = [
      guard("a", { withinMs: 9 }),
      guard("b", { urgency: "critical", quorum: 2 }),
      guard("c", { urgency: "high", withinMs: 5 }),
    ];
    expect(ruling(setOf(guards))).toMatchObject({
      kind: "ask",
      urgency: "critical",
      withinMs: 5,
      policies: ["a", "b", "c"],
      guards,
      sentence: "Because of a. Because of b. Because of c.",
    });
  });

  it("[P5] asks only for guards that votes have not discharged, and allows once all are discharged", () => {
    const set = setOf([guard("one"), guard("two", { quorum: 2 })]);
    expect(ruling(set, byVotes(yes("ana")))).toMatchObject({ kind: "ask", policies: ["two"] });
    expect(ruling(set, byVotes(yes("ana"), yes("bo")))).toMatchObject({
      kind: "allow",
      discharged: ["one", "two"],
    });
  });

  it("[P11] blocks if no policy permits, if a plain policy forbids, and if a guard also forbids", () => {
    expect(ruling(setOf([], () => ({ decision: "deny" })))).toMatchObject({
      kind: "block",
      code: "not-permitted",
    });
    const sentences = new Map([["plain", "Never."]]);
    const forbidden = setOf([], () => ({ decision: "deny", policies: ["plain"] }), { sentences });
    expect(ruling(forbidden)).toMatchObject({ kind: "block", code: "forbidden", sentence: "Never." });
    // If a plain policy denies the call, a guard's sentence ("so a person decides") would be wrong.
    const mixed = setOf([guard("a")], () => ({ decision: "deny", policies: ["a", "plain"] }), { sentences });
    expect(ruling(mixed)).toMatchObject({ kind: "block", code: "forbidden", sentence: "Never." });
  });

  it("blocks a call at once if no set of approvals could satisfy the policy", () => {
    const set = setOf([guard("a")], ({ discharged }) =>
      discharged.includes("a") ? { decision: "deny", policies: ["plain"] } : {},
    );
    expect(ruling(set)).toMatchObject({ kind: "block", code: "forbidden", policies: ["plain"] });
    const broken = setOf([guard("a")], ({ discharged }) =>
      discharged.includes("a") ? { errors: ["oops"] } : {},
    );
    expect(ruling(broken)).toMatchObject({ kind: "block", code: "policy-error" });
  });

  it("asks after one evaluation that names a permit, and blocks after one that names none", () => {
    const withPermits = (permits: string[]) => {
      const questions: Question[] = [];
      const set = setOf([guard("a")], (question) => {
        questions.push(question);
        return { permits };
      });
      return { ruled: ruling(set), evaluations: questions.length };
    };
    expect(withPermits(["free"])).toMatchObject({ ruled: { kind: "ask", policies: ["a"] }, evaluations: 1 });
    expect(withPermits([])).toMatchObject({
      ruled: { kind: "block", code: "not-permitted" },
      evaluations: 1,
    });
  });

  it("[P11] blocks on any error inside policy, even beside an allow", () => {
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
    expect(rule(none, person, { votes: [] })).toMatchObject({ code: "policy-error", version: "none" });
  });
});

describe("a quorum", () => {
  it("[P5] [TRUST 13] counts people, not votes, and only those who approve", () => {
    const two = guard("two", { quorum: 2 });
    const met = (...votes: Vote[]) => isDischarged(two, { votes });
    expect(met(yes("ana"), yes("ana"))).toBe(false);
    expect(met(yes("ana"), { ...yes("bo"), decision: "deny" })).toBe(false);
    expect(met(yes("ana"), yes("bo"))).toBe(true);
  });

  it("counts only members of the group that the guard names", () => {
    const leads = guard("leads", { group: "leads" });
    expect(isDischarged(leads, { votes: [yes("ana")] })).toBe(false);
    expect(isDischarged(leads, { votes: [yes("ana", "others")] })).toBe(false);
    expect(isDischarged(leads, { votes: [yes("ana", "leads")] })).toBe(true);
  });
});

describe("checks", () => {
  const set = setOf([check("size"), check("links", { onFail: "ask" }), guard("people")]);
  const found = (...checks: CheckResult[]) => ({ evidence: { checks } });

  it("run before approvers are asked, so that approvers see the findings", () => {
    expect(ruling(set)).toMatchObject({ kind: "check", checks: ["check.size", "check.links"] });
    expect(ruling(set, found(result("size")))).toMatchObject({ kind: "check", checks: ["check.links"] });
    expect(ruling(set, found(result("size"), result("links")))).toMatchObject({
      kind: "ask",
      policies: ["people"],
      discharged: ["size", "links"],
    });
  });

  it("refuse or ask when they fail, as the guard says, and approvals override only those that ask", () => {
    const failed = (name: string) => result(name, { passed: false });
    expect(ruling(set, found(failed("size"), result("links")))).toMatchObject({ code: "check-failed" });
    const links = found(result("size"), failed("links"));
    expect(ruling(set, links)).toMatchObject({ kind: "ask", policies: ["links", "people"] });
    expect(ruling(set, { evidence: { ...links.evidence, votes: [yes("ana")] } }).kind).toBe("allow");
    const both = found(failed("size"), result("links"));
    expect(ruling(set, { evidence: { ...both.evidence, votes: [yes("ana")] } })).toMatchObject({
      code: "check-failed",
    });
  });

  it("[P11] refuse the call if they could not run, regardless of the guard and of approvals", () => {
    const erred = [result("size"), result("links", { error: true })];
    expect(ruling(set, { evidence: { checks: erred, votes: [yes("ana")] } })).toMatchObject({
      code: "check-error",
    });
  });
});

describe("[P11] executor_confirm", () => {
  const permitted = (...policies: string[]) => setOf([], () => ({ policies }));

  it("blocks an agent's change that has no approval and no policy for unattended use", () => {
    expect(ruling(permitted("permit"), { subject: agent })).toMatchObject({
      kind: "block",
      code: "not-confirmed",
    });
    expect(ruling(permitted("permit", "free"), { subject: agent }).kind).toBe("allow");
    expect(ruling(permitted("permit"), { subject: agent, ...byVotes(yes("ana")) }).kind).toBe("allow");
    expect(ruling(permitted("permit")).kind).toBe("allow");
    const read: Subject = { ...agent, contract: { ...contract, effect: "read" } };
    expect(ruling(permitted("permit"), { subject: read }).kind).toBe("allow");
  });

  it("can be turned off", () => {
    const enforcement: Enforcement = { mode: "enforce", confirm: false };
    expect(ruling(permitted("permit"), { subject: agent, enforcement }).kind).toBe("allow");
  });
});

describe("[TRUST 15] a grant", () => {
  const set = setOf([guard("people", { group: "leads" })], () => ({}));
  const withGrant = (given: Partial<Grant> = {}, subject: Partial<Subject> = {}) =>
    ruling(set, { subject: { ...agent, ...subject }, evidence: { grants: [{ ...grant, ...given }] } });

  it("counts as approval by the people who gave it, and is named in the ruling", () => {
    expect(withGrant()).toMatchObject({ kind: "allow", grant: { id: "grant_1" } });
  });

  it.each<[string, Partial<Grant>, Partial<Subject>]>([
    ["another capability", { capability: "other.one" }, {}],
    ["another principal", { principal: "somebody" }, {}],
    ["an input outside its bounds", {}, { input: { cents: 1_001 } }],
    ["an input without what it bounds", {}, { input: {} }],
    ["more money than is left", { amountLeft: 499 }, { cost: 500 }],
    ["a cost nobody knows", { amountLeft: 499 }, {}],
    ["no count left", { countLeft: 0 }, {}],
    ["people of another group", { people: [{ by: "ana", groups: [] }] }, {}],
    ["its own owner's yes", { people: [{ by: "owen", groups: ["leads"] }] }, {}],
    ["a destroy", {}, { contract: { ...contract, effect: "destroy" } }],
  ])("does not cover %s", (_, given, subject) => {
    expect(withGrant(given, subject)).toMatchObject({ kind: "ask", policies: ["people"] });
  });

  it("is not used if the call needs no approval", () => {
    const evidence = { grants: [grant] };
    expect(ruling(setOf([]), { evidence })).not.toHaveProperty("grant");
  });

  it("satisfies every guard if it is break-glass, but overrides no plain forbid", () => {
    const people = [{ by: "bea", groups: [] }];
    const given = { breakGlass: true, people, given: { people, count: 1, seal: "" } };
    expect(withGrant(given)).toMatchObject({ kind: "allow", grant: { breakGlass: true } });
    const forbidden = setOf([guard("people")], () => ({ decision: "deny", policies: ["plain"] }));
    const evidence = { grants: [{ ...grant, ...given }] };
    expect(ruling(forbidden, { subject: agent, evidence })).toMatchObject({ code: "forbidden" });
  });

  it("[TRUST 33] satisfies no guard as break-glass while a person who gave it is frozen", () => {
    const people = [{ by: "bea", groups: [] }];
    const both = { people: [...people, { by: "bo", groups: [] }], count: 1, seal: "" };
    expect(withGrant({ breakGlass: true, people, given: both })).toMatchObject({ kind: "ask" });
    expect(withGrant({ breakGlass: true, people: [], given: both })).toMatchObject({ kind: "ask" });
  });
});

describe("a caller's own requirements", () => {
  it("tighten the ruling and never loosen it", () => {
    const requirements = [guard("caller:ask", { quorum: 2 })];
    const subject = { ...person, requirements };
    expect(ruling(setOf([]), { subject })).toMatchObject({ kind: "ask", policies: ["caller:ask"] });
    expect(ruling(setOf([]), { subject, ...byVotes(yes("ana"), yes("bo")) }).kind).toBe("allow");
    const set = setOf([guard("people")]);
    expect(ruling(set, { subject })).toMatchObject({ kind: "ask", policies: ["people", "caller:ask"] });
    const forbidden = setOf([], () => ({ decision: "deny", policies: ["plain"] }));
    expect(ruling(forbidden, { subject })).toMatchObject({ code: "forbidden" });
  });
});

describe("observe", () => {
  const enforcement: Enforcement = { mode: "observe", confirm: true };

  it("allows every call, and reports the ruling that enforcement would have given", () => {
    expect(ruling(setOf([guard("a")]), { enforcement })).toMatchObject({
      kind: "allow",
      observed: { kind: "ask", policies: ["a"] },
    });
    const forbidden = setOf([], () => ({ decision: "deny", policies: ["plain"] }));
    expect(ruling(forbidden, { enforcement })).toMatchObject({
      kind: "allow",
      observed: { kind: "block", code: "forbidden", policies: ["plain"] },
    });
    expect(ruling(setOf([]), { enforcement })).not.toHaveProperty("observed");
  });
});

describe("policies in shadow", () => {
  const policySet = setOf([guard("trial")]);

  it("do not change the ruling, which reports what they would have decided", () => {
    const set = setOf([], undefined, { withShadows: policySet });
    expect(ruling(set)).toMatchObject({ kind: "allow", shadow: { kind: "ask", policies: ["trial"] } });
    const open = setOf([guard("a")], undefined, { withShadows: setOf([]) });
    expect(ruling(open)).toMatchObject({ kind: "ask", shadow: { kind: "allow" } });
    expect(ruling(setOf([guard("a")], undefined, { withShadows: setOf([guard("a")]) }))).not.toHaveProperty(
      "shadow",
    );
  });

  it("[P11] do not change the ruling when they fail, and the failure is reported", () => {
    const failing = setOf([], () => {
      throw new Error("wasm trap");
    });
    expect(ruling(setOf([], undefined, { withShadows: failing }))).toMatchObject({
      kind: "allow",
      shadow: { kind: "block", code: "policy-error" },
    });
  });
});
