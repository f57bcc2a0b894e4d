import { readFileSync } from "node:fs";
import { defineCapability, enforceAll, type PolicySet } from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { parseCases } from "./cases.ts";
import { runCases } from "./run-cases.ts";

const pay = defineCapability({
  name: "bank.pay",
  version: 1,
  summary: "Pays",
  effect: "write",
  idempotency: "natural",
  input: z.object({ cents: z.int(), currency: z.string().default("EUR") }),
  output: z.object({}),
  apply: async () => ({}),
});
const createLimitPolicy = (limit: number): PolicySet =>
  createPlainPolicy({
    "bank.pay": { ask: 1, when: ({ input }) => Number((input as { cents: number }).cents) > limit },
  });
const toLocatedPolicy = (id: string) => ({ id, file: "a.cedar", line: 1 });

function runTextCases(text: string, set = createLimitPolicy(1_000)) {
  const { cases, faults } = parseCases("pay.test.yaml", text);
  expect(faults).toEqual([]);
  return runCases(cases, {
    set,
    policies: ["bank.pay", "permitted", "blocked"].map(toLocatedPolicy),
    capability: (name) => (name === "bank.pay" ? pay : undefined),
    enforcement: enforceAll,
  });
}

it("runs cases against the policy set, and lists the policies that no case covers", () => {
  const { cases, uncovered } = runTextCases(`
- name: small payments go through
  as: { kind: agent }
  capability: bank.pay
  input: { cents: 5 }
  expect: allow
  policies: [permitted]
- name: large ones are asked about
  as: { kind: agent, id: bot, owner: ana }
  capability: bank.pay
  input: { cents: 5000 }
  expect: ask
  policies: [bank.pay]
  sentence: bank.pay is asked about.
- name: and go through once somebody else has approved
  as: { kind: agent, id: bot, owner: ana }
  capability: bank.pay
  input: { cents: 5000 }
  evidence: { approvedBy: [{ id: bo, groups: [finance] }] }
  expect: allow
`);
  expect(cases.map(({ passed, line }) => [passed, line])).toEqual([
    [true, 2],
    [true, 8],
    [true, 15],
  ]);
  expect(uncovered.map(({ id }) => id)).toEqual(["blocked"]);
});

it("a case covers a policy that its evidence satisfies", () => {
  const { cases, uncovered } = runTextCases(`
- name: approved by somebody else
  as: { kind: agent, id: bot, owner: ana }
  capability: bank.pay
  input: { cents: 5000 }
  evidence: { approvedBy: [bo] }
  expect: allow
`);
  expect(cases[0]?.got?.policies).toEqual(["permitted"]);
  expect(uncovered.map(({ id }) => id)).toEqual(["blocked"]);
});

it("reports every difference from the expectations of a case", () => {
  const { cases } = runTextCases(`
- name: wrong
  as: { kind: agent }
  capability: bank.pay
  input: { cents: 5000 }
  expect: allow
  policies: [permitted]
  sentence: Fine.
`);
  expect(cases[0]).toMatchObject({ passed: false, got: { kind: "ask", policies: ["bank.pay"] } });
  expect(cases[0]?.faults).toEqual([
    "expected allow, but it is ask by `bank.pay`",
    "expected a ruling by `permitted`, but it is by `bank.pay`",
    "expected the sentence `Fine.`, but it is `bank.pay is asked about.`",
  ]);
});

it("[TRUST 12] a case does not count approvals by the owner, the agent or the person it acts for", () => {
  const { cases } = runTextCases(`
- name: the owner cannot approve
  as: { kind: agent, id: bot, owner: ana, onBehalfOf: cy }
  capability: bank.pay
  input: { cents: 5000 }
  evidence: { approvedBy: [ana, bot, cy] }
  expect: ask
`);
  expect(cases[0]?.passed).toBe(true);
});

it("[P11] a case that policy could not rule on fails, even if it expects a block", () => {
  const broken: PolicySet = {
    ...createLimitPolicy(1),
    evaluate: () => ({ decision: "deny", policies: [], errors: ["input-mismatch"] }),
  };
  const text = "- { name: n, as: { kind: agent }, capability: bank.pay, input: { cents: 1 }, expect: block }";
  expect(runTextCases(text, broken).cases[0]).toMatchObject({
    passed: false,
    faults: [expect.stringContaining("could not rule on the case")],
  });
});

it("parses input with the contract, and reports invalid input and an unknown capability", () => {
  const seen: unknown[] = [];
  const set: PolicySet = {
    ...createLimitPolicy(1_000),
    evaluate: (question) => {
      seen.push(question.input);
      return createLimitPolicy(1_000).evaluate(question);
    },
  };
  const { cases } = runTextCases(
    `
- { name: a, as: { kind: agent }, capability: bank.pay, input: { cents: 1 }, expect: allow }
- { name: b, as: { kind: agent }, capability: bank.pay, input: { cents: much }, expect: block }
- { name: c, as: { kind: agent }, capability: bank.rob, expect: block }
`,
    set,
  );
  expect(seen).toEqual([{ cents: 1, currency: "EUR" }]);
  expect(cases.map(({ faults }) => faults[0])).toEqual([
    undefined,
    expect.stringMatching(/^the input is not valid: cents/),
    "there is no capability `bank.rob`",
  ]);
});

it("a case uses the time and history in its `env`, and 0 for missing counts", () => {
  const { cases } = parseCases(
    "f",
    "- { name: a, as: { kind: person }, capability: a.b, expect: allow, env: { at: 2026-03-01T09:30:00+01:00, spentToday: 7 } }",
  );
  expect(cases[0]?.env).toEqual({
    at: Date.parse("2026-03-01T08:30:00Z"),
    callsLastHour: 0,
    callsLastDay: 0,
    spentToday: 7,
    deniedLastHour: 0,
  });
});

it("reports the line of an entry that cannot be read", () => {
  const faultsOf = (text: string) =>
    parseCases("f", text).faults.map(({ line, sentence }) => `${line} ${sentence}`);
  expect(faultsOf("- name: a\n  as: [\n")).toEqual([expect.stringMatching(/^\d /)]);
  expect(faultsOf("name: a")).toEqual([expect.stringContaining("a file of cases must contain a list")]);
  expect(
    faultsOf("- name: a\n  as: { kind: robot }\n  capability: x.y\n  expect: maybe\n  expects: allow\n"),
  ).toEqual([
    expect.stringMatching(/^2 as\.kind: /),
    expect.stringMatching(/^4 expect: /),
    expect.stringMatching(/^1 case: .*expects/),
  ]);
  expect(faultsOf("")).toEqual([expect.stringContaining("list")]);
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [${"*a, ".repeat(9)}]\nc: [${"*b, ".repeat(200)}]\n`;
  expect(faultsOf(bomb)).toEqual([expect.any(String)]);
});

it("the cases in docs/guides/policy-tools.md can be read", () => {
  const page = readFileSync(new URL("../../../../../docs/guides/policy-tools.md", import.meta.url), "utf8");
  const [, text = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const { cases, faults } = parseCases("policy-tools.md", text);
  expect(faults).toEqual([]);
  expect(cases.map(({ expect }) => expect)).toEqual(["allow", "ask", "allow"]);
});
