import type { Guard, PolicySet, Question } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { evaluator } from "./evaluate.ts";
import { cedarPolicy } from "./index.ts";
import { singlePolicies } from "./policy-text.ts";
import { actionOf } from "./schema.ts";
import { slicesOf } from "./slices.ts";
import {
  agent,
  anna,
  deploy,
  list,
  load,
  oneChange,
  refund,
  remove,
  restart,
  ruling,
  service,
  validRefund,
  write,
  yes,
} from "./test-capabilities.ts";

describe("the preset balanced", () => {
  const set = load();

  it.each([
    ["a read by an agent", list, agent, "allow"],
    ["a write by a person", write, anna, "allow"],
    ["a write by an agent", write, agent, "ask"],
    ["a write by a service", write, service, "ask"],
    ["a destroy by a person", remove, anna, "ask"],
    ["a high risk by a person", restart, anna, "ask"],
    ["a critical risk by a person", deploy, anna, "ask"],
  ] as const)("rules on %s", (_, contract, principal, kind) => {
    expect(ruling(set, contract, { principal })).toMatchObject({ kind, version: set.version });
  });

  it("asks with the urgency and the sentence of its guards", () => {
    expect(ruling(set, write)).toMatchObject({
      urgency: "normal",
      policies: ["unattended-writes-need-a-person"],
    });
    expect(ruling(set, remove)).toMatchObject({ urgency: "high", policies: ["high-risk-needs-a-person"] });
    const asked = ruling(set, deploy);
    expect(asked).toMatchObject({ kind: "ask", urgency: "critical" });
    if (asked.kind === "ask") expect(asked.guards.every((guard) => guard.sentence.endsWith("."))).toBe(true);
  });

  it("[P5] one person's yes lets a write pass, a no does not", () => {
    expect(ruling(set, write, { votes: yes("bob") }).kind).toBe("allow");
    expect(ruling(set, write, { votes: [{ by: "bob", decision: "deny", as: "approver" }] }).kind).toBe("ask");
  });

  it("[P5] a quorum of two needs two distinct people", () => {
    expect(ruling(set, deploy, { votes: yes("bob", "bob") }).kind).toBe("ask");
    expect(ruling(set, deploy, { votes: yes("bob", "eve") }).kind).toBe("allow");
  });

  it("lets the capabilities named unattended write, and nothing of high risk", () => {
    const unattended = load("", { unattended: ["files.write", "files.remove", "ops.restart", "ops.deploy"] });
    expect(ruling(unattended, write).kind).toBe("allow");
    expect(ruling(unattended, refund).kind).toBe("ask");
    for (const contract of [remove, restart, deploy]) expect(ruling(unattended, contract).kind).toBe("ask");
  });
});

describe("policies on top", () => {
  it("[P4] a plain forbid blocks, votes or none, and nobody is asked", () => {
    const set = load('@id("no-writes") forbid (principal, action == Action::"files.write", resource);');
    const block = { kind: "block", code: "forbidden" };
    const policies = ["no-writes", "unattended-writes-need-a-person"];
    expect(ruling(set, write)).toMatchObject({ ...block, policies });
    expect(ruling(set, write, { votes: yes("bob", "eve") })).toMatchObject({
      ...block,
      policies: ["no-writes"],
    });
  });

  it("[P4] what no policy permits is blocked, and a guard alone asks nobody", () => {
    // The preset permits every effect, so these sets are put together without it.
    const bare = (text: string, guards: Guard[]): PolicySet => {
      const policies = singlePolicies({ file: "bare", text }, []);
      const { evaluate } = evaluator([actionOf(write, [])], slicesOf(policies));
      return {
        version: "bare",
        guards: new Map(guards.map((guard) => [guard.id, guard])),
        unattended: new Set(),
        readsEnvironment: () => false,
        evaluate,
      };
    };
    const guard: Guard = { id: "g", ruling: "ask", quorum: 1, urgency: "normal", sentence: "Why." };
    const text = `@id("g") forbid (principal, action, resource)
      unless { context.evidence.discharged.contains("g") };`;
    const block = { kind: "block", code: "not-permitted", policies: [] };
    expect(ruling(bare("", []), write)).toMatchObject(block);
    expect(ruling(bare(text, [guard]), write)).toMatchObject(block);
    // And a guard that lost its annotations on the way here is a plain forbid.
    const permit = `${text} @id("p") permit (principal, action, resource);`;
    expect(ruling(bare(permit, [guard]), write).kind).toBe("ask");
    expect(ruling(bare(permit, []), write, { votes: yes("bob") })).toMatchObject({ code: "forbidden" });
  });

  it("[P11] a guard beside a forbid that votes bring about blocks at once", () => {
    // Only the hypothetical question meets this forbid: without it a person would be asked in vain.
    const text = `@id("never") forbid (principal, action == Action::"files.write", resource)
      when { context.evidence.discharged.contains("unattended-writes-need-a-person") };`;
    expect(ruling(load(text), write)).toMatchObject({
      kind: "block",
      code: "forbidden",
      policies: ["never"],
    });
  });

  it("[P11] an erroring forbid blocks", () => {
    const text = `@id("overflows") forbid (principal, action == Action::"billing.refund", resource)
      when { context.input.cents + 9223372036854775807 < 0 };`;
    const set = load(text, { unattended: ["billing.refund"] });
    const input = { ...validRefund, cents: 1 };
    expect(ruling(set, refund, { input })).toMatchObject({ kind: "block", code: "policy-error" });
    expect(set.evaluate(question({ contract: refund, input })).errors).toEqual(["policy-failed:overflows"]);
    expect(ruling(set, refund, { input: { ...validRefund, cents: -1 } }).kind).toBe("allow");
  });

  it("[P3] sees the preview once there is one", () => {
    const text = `@id("not-outside") forbid (principal, action in Action::"adapter:files", resource)
      when { context has preview && context.preview.targets.contains("/srv/a") && context.preview.changes > 0 };`;
    const set = load(text, { unattended: ["files.write"] });
    expect(ruling(set, write).kind).toBe("allow");
    expect(ruling(set, write, { preview: oneChange }).kind).toBe("block");
  });

  it("knows an agent's owner and tenant", () => {
    const text = `@id("not-annas") forbid (principal is Agent in Tenant::"acme", action, resource)
      when { principal has owner && principal.owner == Person::"anna" };`;
    expect(ruling(load(text), list).kind).toBe("block");
    expect(ruling(load(text), list, { principal: { ...agent, owner: "eve" } }).kind).toBe("allow");
    expect(ruling(load(text), list, { principal: { ...agent, tenant: "other" } }).kind).toBe("allow");
  });

  it("two sets stand side by side, and a reload takes effect whole", () => {
    const open = load("", { unattended: ["files.write"] });
    const shut = load('@id("no-writes") forbid (principal, action in Action::"effect:write", resource);');
    expect(open.version).not.toBe(shut.version);
    const policy = cedarPolicy(open);
    for (const _ of [1, 2, 3]) {
      expect(ruling(open, write).kind).toBe("allow");
      expect(ruling(shut, write).kind).toBe("block");
    }
    policy.replace(shut);
    expect(policy.current("acme")).toBe(shut);
  });
});

describe("[P11] what the set does not know is refused", () => {
  const set = load();
  it.each([
    [
      "a capability it was not loaded with",
      { contract: { ...write, name: "files.other" } },
      "capability-unknown",
    ],
    ["a contract that changed since", { contract: { ...write, risk: "low" as const } }, "contract-changed"],
    [
      "a principal of no known kind",
      { principal: { ...agent, kind: "robot" as "agent" } },
      "request-refused",
    ],
    ["no principal at all", { principal: undefined as unknown as typeof agent }, "engine-failed"],
  ])("%s", (_, part, code) => {
    expect(set.evaluate(question(part))).toEqual({ decision: "deny", policies: [], errors: [code] });
  });

  it("accepts the same contract read back from storage", () => {
    const contract = JSON.parse(JSON.stringify(write));
    expect(set.evaluate(question({ contract })).errors).toEqual([]);
  });
});

function question(part: Partial<Question>): Question {
  return {
    principal: agent,
    contract: write,
    input: { path: "a" },
    preview: undefined,
    discharged: [],
    ...part,
  };
}
