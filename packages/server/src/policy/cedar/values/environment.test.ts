import type { Environment, Question } from "@paraph/core";
import { describe, expect, it } from "vitest";
import {
  listContract,
  loadTestPolicies,
  mondayEnvironment,
  refundContract,
  ruleContract,
  sampleAgent,
  validRefundInput,
  writeContract,
} from "../testing/sample-contracts.ts";

const formatForbid = (condition: string, action = "files.list") =>
  `@id("f") forbid (principal, action == Action::"${action}", resource) when { ${condition} };`;
const createQuestion = (part: Partial<Question> = {}): Question => ({
  principal: sampleAgent,
  contract: listContract,
  input: { folder: "/" },
  preview: undefined,
  discharged: [],
  ...part,
});

describe("the environment", () => {
  it.each([
    ["context.env.hour == 9", true],
    ["context.env.weekday == 1", true],
    ["context.env.weekday > 5 || context.env.hour < 8", false],
    ["context.env.callsLastHour >= 3", true],
    ["context.env.callsLastDay > 20", false],
    ["context.env.deniedLastHour > 0", true],
    ["context.env.spentToday > 0", false],
    [`context.env.at == ${mondayEnvironment.at}`, true],
  ])("is available to policies: %s", (condition, holds) => {
    expect(
      ruleContract(loadTestPolicies(formatForbid(condition)), listContract, { env: mondayEnvironment }).kind,
    ).toBe(holds ? "block" : "allow");
  });

  it("counts Sunday as the seventh day, in UTC", () => {
    const sunday = { ...mondayEnvironment, at: Date.UTC(2026, 10, 15, 23, 59) };
    const set = loadTestPolicies(formatForbid("context.env.weekday == 7 && context.env.hour == 23"));
    expect(ruleContract(set, listContract, { env: sunday }).kind).toBe("block");
  });

  it("is read again for each call", () => {
    const set = loadTestPolicies(formatForbid("context.env.callsLastHour > 100"));
    for (const [callsLastHour, kind] of [
      [1, "allow"],
      [500, "block"],
      [1, "allow"],
    ] as const) {
      expect(ruleContract(set, listContract, { env: { ...mondayEnvironment, callsLastHour } }).kind).toBe(
        kind,
      );
    }
  });

  it("is requested only if a policy reads it", () => {
    const set = loadTestPolicies(formatForbid("context.env.hour > 22"));
    expect([listContract, writeContract].map((contract) => set.readsEnvironment(contract))).toEqual([
      true,
      false,
    ]);
    const reads = (condition: string) =>
      loadTestPolicies(formatForbid(condition, "billing.refund")).readsEnvironment(refundContract);
    expect(reads("context.input.cents > 5 && context has preview && context.preview.changes > 1")).toBe(
      false,
    );
    expect(reads('context.capability == "billing.refund"')).toBe(false);
    expect(reads('context["env"]["hour"] > 1')).toBe(true);
    expect(
      loadTestPolicies(formatForbid("{ all: context }.all.env.hour > 1")).readsEnvironment(listContract),
    ).toBe(true);
    expect(reads("context has env")).toBe(true);
    expect(loadTestPolicies().readsEnvironment({ ...listContract, name: "files.other" })).toBe(false);
  });

  it("[P11] blocks the call if it is missing and a policy reads it, and not otherwise", () => {
    const set = loadTestPolicies(formatForbid("context.env.hour > 22"));
    expect(set.evaluate(createQuestion())).toEqual({
      decision: "deny",
      policies: [],
      errors: ["env-missing"],
    });
    expect(ruleContract(set, listContract)).toMatchObject({ kind: "block", code: "policy-error" });
    expect(set.evaluate(createQuestion({ contract: writeContract, input: { path: "a" } })).errors).toEqual(
      [],
    );
  });

  it.each([
    ["at", Number.NaN, ["env-unfit:env.at", "env-unfit:env.hour"]],
    ["at", 1e300, ["env-unfit:env.at", "env-unfit:env.hour"]],
    ["callsLastHour", 0.5, ["env-unfit:env.callsLastHour"]],
    ["callsLastDay", undefined, ["env-unfit:env.callsLastDay"]],
    ["spentToday", "12", ["env-unfit:env.spentToday"]],
  ])("[P11] a %s of %s blocks", (name, value, errors) => {
    const set = loadTestPolicies(formatForbid("context.env.hour > 22"));
    const env = { ...mondayEnvironment, [name]: value } as Environment;
    expect(set.evaluate(createQuestion({ env })).errors).toEqual(errors);
  });
});

describe("[P3] the preview", () => {
  const set = loadTestPolicies(
    formatForbid(
      "context has preview && context.preview has rows && context.preview.rows > 1000",
      "billing.refund",
    ),
    { unattended: ["billing.refund"] },
  );
  const kindOf = (...rows: unknown[]) =>
    ruleContract(set, refundContract, {
      input: validRefundInput,
      preview: {
        changes: rows.map((one) => ({
          kind: "update",
          target: "t",
          ...(one !== undefined && { details: { rows: one as number } }),
        })),
        basis: {},
      },
    });

  it("sums up the rows of its changes, and has no `rows` if no change has a count", () => {
    expect(kindOf(1000).kind).toBe("allow");
    expect(kindOf(1000, 1).kind).toBe("block");
    expect(kindOf(undefined).kind).toBe("allow");
    expect(kindOf().kind).toBe("allow");
    expect(kindOf(undefined, 1001)).toMatchObject({ kind: "block", code: "forbidden" });
  });

  it.each([["1"], [-1], [0.5], [Number.NaN], [2 ** 60], [null], [[1]]])(
    "[P11] a count of %j blocks",
    (rows) => {
      expect(kindOf(5, rows)).toMatchObject({ kind: "block", code: "policy-error" });
    },
  );
});

it("a policy can read the person for whom an agent acts", () => {
  const text = `@id("f") forbid (principal is Agent, action, resource)
    unless { principal has onBehalfOf && principal.onBehalfOf == Person::"eve" };`;
  const set = loadTestPolicies(text);
  expect(ruleContract(set, listContract, { principal: { ...sampleAgent, onBehalfOf: "eve" } }).kind).toBe(
    "allow",
  );
  expect(ruleContract(set, listContract, { principal: { ...sampleAgent, onBehalfOf: "bob" } }).kind).toBe(
    "block",
  );
  expect(ruleContract(set, listContract).kind).toBe("block");
});
