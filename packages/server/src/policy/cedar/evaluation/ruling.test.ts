import type { Guard, PolicySet, Question } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { createCedarPolicy } from "../index.ts";
import { parsePolicies } from "../loading/policy-text.ts";
import {
  anna,
  createApprovals,
  deployContract,
  listContract,
  loadTestPolicies,
  refundContract,
  removeContract,
  restartContract,
  ruleContract,
  sampleAgent,
  sampleService,
  singleChangePreview,
  validRefundInput,
  writeContract,
} from "../testing/sample-contracts.ts";
import { createEvaluator } from "./evaluate.ts";
import { toAction } from "./schema.ts";
import { createSlicer } from "./slices.ts";

describe("the preset balanced", () => {
  const set = loadTestPolicies();

  it.each([
    ["a read by an agent", listContract, sampleAgent, "allow"],
    ["a write by a person", writeContract, anna, "allow"],
    ["a write by an agent", writeContract, sampleAgent, "ask"],
    ["a write by a service", writeContract, sampleService, "ask"],
    ["a destroy by a person", removeContract, anna, "ask"],
    ["a high risk by a person", restartContract, anna, "ask"],
    ["a critical risk by a person", deployContract, anna, "ask"],
  ] as const)("rules on %s", (_, contract, principal, kind) => {
    expect(ruleContract(set, contract, { principal })).toMatchObject({ kind, version: set.version });
  });

  it("asks with the urgency and the sentence of its guards", () => {
    expect(ruleContract(set, writeContract)).toMatchObject({
      urgency: "normal",
      policies: ["unattended-writes-need-a-person"],
    });
    expect(ruleContract(set, removeContract)).toMatchObject({
      urgency: "high",
      policies: ["high-risk-needs-a-person"],
    });
    const asked = ruleContract(set, deployContract);
    expect(asked).toMatchObject({ kind: "ask", urgency: "critical" });
    if (asked.kind === "ask") expect(asked.guards.every((guard) => guard.sentence.endsWith("."))).toBe(true);
  });

  it("[P5] allows a write after one approval, and not after a denial", () => {
    expect(ruleContract(set, writeContract, { votes: createApprovals("bob") }).kind).toBe("allow");
    expect(
      ruleContract(set, writeContract, { votes: [{ by: "bob", decision: "deny", as: "approver" }] }).kind,
    ).toBe("ask");
  });

  it("[P5] a quorum of two needs two distinct people", () => {
    expect(ruleContract(set, deployContract, { votes: createApprovals("bob", "bob") }).kind).toBe("ask");
    expect(ruleContract(set, deployContract, { votes: createApprovals("bob", "eve") }).kind).toBe("allow");
  });

  it("allows unattended writes of the named capabilities, but none of high risk", () => {
    const unattended = loadTestPolicies("", {
      unattended: ["files.write", "files.remove", "ops.restart", "ops.deploy"],
    });
    expect(ruleContract(unattended, writeContract).kind).toBe("allow");
    expect(ruleContract(unattended, refundContract).kind).toBe("ask");
    for (const contract of [removeContract, restartContract, deployContract])
      expect(ruleContract(unattended, contract).kind).toBe("ask");
  });
});

describe("policies in addition to the preset", () => {
  it("[P4] a plain forbid blocks with or without votes, and no approver is asked", () => {
    const set = loadTestPolicies(
      '@id("no-writes") forbid (principal, action == Action::"files.write", resource);',
    );
    const block = { kind: "block", code: "forbidden" };
    const policies = ["no-writes", "unattended-writes-need-a-person"];
    expect(ruleContract(set, writeContract)).toMatchObject({ ...block, policies });
    expect(ruleContract(set, writeContract, { votes: createApprovals("bob", "eve") })).toMatchObject({
      ...block,
      policies: ["no-writes"],
    });
  });

  it("[P4] a call that no policy permits is blocked, and a guard alone asks no approver", () => {
    // The preset permits every effect, so these sets are built without it.
    const bare = (text: string, guards: Guard[]): PolicySet => {
      const policies = parsePolicies({ file: "bare", text }, []);
      const { evaluate } = createEvaluator([toAction(writeContract, [])], createSlicer(policies));
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
    expect(ruleContract(bare("", []), writeContract)).toMatchObject(block);
    expect(ruleContract(bare(text, [guard]), writeContract)).toMatchObject(block);
    // Without its entry in `guards`, a guard is a plain forbid.
    const permit = `${text} @id("p") permit (principal, action, resource);`;
    expect(ruleContract(bare(permit, [guard]), writeContract).kind).toBe("ask");
    expect(ruleContract(bare(permit, []), writeContract, { votes: createApprovals("bob") })).toMatchObject({
      code: "forbidden",
    });
  });

  it("[P11] a call is blocked at once if its approval would trigger a forbid", () => {
    // This forbid applies only in the evaluation with all possible evidence. Without that evaluation, Paraph would ask
    // an approver although no approval helps.
    const text = `@id("never") forbid (principal, action == Action::"files.write", resource)
      when { context.evidence.discharged.contains("unattended-writes-need-a-person") };`;
    expect(ruleContract(loadTestPolicies(text), writeContract)).toMatchObject({
      kind: "block",
      code: "forbidden",
      policies: ["never"],
    });
  });

  it("[P11] a forbid that fails with an error blocks", () => {
    const text = `@id("overflows") forbid (principal, action == Action::"billing.refund", resource)
      when { context.input.cents + 9223372036854775807 < 0 };`;
    const set = loadTestPolicies(text, { unattended: ["billing.refund"] });
    const input = { ...validRefundInput, cents: 1 };
    expect(ruleContract(set, refundContract, { input })).toMatchObject({
      kind: "block",
      code: "policy-error",
    });
    expect(set.evaluate(createQuestion({ contract: refundContract, input })).errors).toEqual([
      "policy-failed:overflows",
    ]);
    expect(ruleContract(set, refundContract, { input: { ...validRefundInput, cents: -1 } }).kind).toBe(
      "allow",
    );
  });

  it("[P3] see the preview once there is one", () => {
    const text = `@id("not-outside") forbid (principal, action in Action::"adapter:files", resource)
      when { context has preview && context.preview.targets.contains("/srv/a") && context.preview.changes > 0 };`;
    const set = loadTestPolicies(text, { unattended: ["files.write"] });
    expect(ruleContract(set, writeContract).kind).toBe("allow");
    expect(ruleContract(set, writeContract, { preview: singleChangePreview }).kind).toBe("block");
  });

  it("know an agent's owner and tenant", () => {
    const text = `@id("not-annas") forbid (principal is Agent in Tenant::"acme", action, resource)
      when { principal has owner && principal.owner == Person::"anna" };`;
    expect(ruleContract(loadTestPolicies(text), listContract).kind).toBe("block");
    expect(
      ruleContract(loadTestPolicies(text), listContract, { principal: { ...sampleAgent, owner: "eve" } })
        .kind,
    ).toBe("allow");
    expect(
      ruleContract(loadTestPolicies(text), listContract, { principal: { ...sampleAgent, tenant: "other" } })
        .kind,
    ).toBe("allow");
  });

  it("two policy sets work side by side, and a replacement takes effect as a whole", () => {
    const open = loadTestPolicies("", { unattended: ["files.write"] });
    const shut = loadTestPolicies(
      '@id("no-writes") forbid (principal, action in Action::"effect:write", resource);',
    );
    expect(open.version).not.toBe(shut.version);
    const policy = createCedarPolicy(open);
    for (const _ of [1, 2, 3]) {
      expect(ruleContract(open, writeContract).kind).toBe("allow");
      expect(ruleContract(shut, writeContract).kind).toBe("block");
    }
    policy.replace(shut);
    expect(policy.current("acme")).toBe(shut);
  });
});

describe("[P11] a policy set denies capabilities, contracts and principals that it does not know", () => {
  const set = loadTestPolicies();
  it.each([
    [
      "a capability it was not loaded with",
      { contract: { ...writeContract, name: "files.other" } },
      "capability-unknown",
    ],
    [
      "a contract that changed since",
      { contract: { ...writeContract, risk: "low" as const } },
      "contract-changed",
    ],
    [
      "a principal of no known kind",
      { principal: { ...sampleAgent, kind: "robot" as "agent" } },
      "request-refused",
    ],
    ["no principal at all", { principal: undefined as unknown as typeof sampleAgent }, "engine-failed"],
  ])("%s", (_, part, code) => {
    expect(set.evaluate(createQuestion(part))).toEqual({ decision: "deny", policies: [], errors: [code] });
  });

  it("accepts the same contract read back from storage", () => {
    const contract = JSON.parse(JSON.stringify(writeContract));
    expect(set.evaluate(createQuestion({ contract })).errors).toEqual([]);
  });
});

function createQuestion(part: Partial<Question>): Question {
  return {
    principal: sampleAgent,
    contract: writeContract,
    input: { path: "a" },
    preview: undefined,
    discharged: [],
    ...part,
  };
}
