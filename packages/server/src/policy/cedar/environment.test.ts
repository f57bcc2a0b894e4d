import type { Environment, Question } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { agent, list, load, monday, refund, ruling, validRefund, write } from "./test-capabilities.ts";

const forbid = (condition: string, action = "files.list") =>
  `@id("f") forbid (principal, action == Action::"${action}", resource) when { ${condition} };`;
const question = (part: Partial<Question> = {}): Question => ({
  principal: agent,
  contract: list,
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
    [`context.env.at == ${monday.at}`, true],
  ])("is known to policies: %s", (condition, holds) => {
    expect(ruling(load(forbid(condition)), list, { env: monday }).kind).toBe(holds ? "block" : "allow");
  });

  it("counts Sunday as the seventh day, in UTC", () => {
    const sunday = { ...monday, at: Date.UTC(2026, 10, 15, 23, 59) };
    const set = load(forbid("context.env.weekday == 7 && context.env.hour == 23"));
    expect(ruling(set, list, { env: sunday }).kind).toBe("block");
  });

  it("is read anew for each call", () => {
    const set = load(forbid("context.env.callsLastHour > 100"));
    for (const [callsLastHour, kind] of [
      [1, "allow"],
      [500, "block"],
      [1, "allow"],
    ] as const) {
      expect(ruling(set, list, { env: { ...monday, callsLastHour } }).kind).toBe(kind);
    }
  });

  it("is asked for only where a policy reads it", () => {
    const set = load(forbid("context.env.hour > 22"));
    expect([list, write].map((contract) => set.readsEnvironment(contract))).toEqual([true, false]);
    const reads = (condition: string) => load(forbid(condition, "billing.refund")).readsEnvironment(refund);
    expect(reads("context.input.cents > 5 && context has preview && context.preview.changes > 1")).toBe(
      false,
    );
    expect(reads('context.capability == "billing.refund"')).toBe(false);
    expect(reads('context["env"]["hour"] > 1')).toBe(true);
    expect(load(forbid("{ all: context }.all.env.hour > 1")).readsEnvironment(list)).toBe(true);
    expect(reads("context has env")).toBe(true);
    expect(load().readsEnvironment({ ...list, name: "files.other" })).toBe(false);
  });

  it("[P11] missing where a policy reads it blocks, and nowhere else", () => {
    const set = load(forbid("context.env.hour > 22"));
    expect(set.evaluate(question())).toEqual({ decision: "deny", policies: [], errors: ["env-missing"] });
    expect(ruling(set, list)).toMatchObject({ kind: "block", code: "policy-error" });
    expect(set.evaluate(question({ contract: write, input: { path: "a" } })).errors).toEqual([]);
  });

  it.each([
    ["at", Number.NaN, ["env-unfit:env.at", "env-unfit:env.hour"]],
    ["at", 1e300, ["env-unfit:env.at", "env-unfit:env.hour"]],
    ["callsLastHour", 0.5, ["env-unfit:env.callsLastHour"]],
    ["callsLastDay", undefined, ["env-unfit:env.callsLastDay"]],
    ["spentToday", "12", ["env-unfit:env.spentToday"]],
  ])("[P11] a %s of %s blocks", (name, value, errors) => {
    const set = load(forbid("context.env.hour > 22"));
    const env = { ...monday, [name]: value } as Environment;
    expect(set.evaluate(question({ env })).errors).toEqual(errors);
  });
});

describe("[P3] the preview", () => {
  const set = load(
    forbid(
      "context has preview && context.preview has rows && context.preview.rows > 1000",
      "billing.refund",
    ),
    { unattended: ["billing.refund"] },
  );
  const kindOf = (...rows: unknown[]) =>
    ruling(set, refund, {
      input: validRefund,
      preview: {
        changes: rows.map((one) => ({
          kind: "update",
          target: "t",
          ...(one !== undefined && { details: { rows: one as number } }),
        })),
        basis: {},
      },
    });

  it("sums up the rows that its changes count, and has none where none does", () => {
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

it("knows whom an agent acts for", () => {
  const text = `@id("f") forbid (principal is Agent, action, resource)
    unless { principal has onBehalfOf && principal.onBehalfOf == Person::"eve" };`;
  const set = load(text);
  expect(ruling(set, list, { principal: { ...agent, onBehalfOf: "eve" } }).kind).toBe("allow");
  expect(ruling(set, list, { principal: { ...agent, onBehalfOf: "bob" } }).kind).toBe("block");
  expect(ruling(set, list).kind).toBe("block");
});
