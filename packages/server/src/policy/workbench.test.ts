import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineCapability } from "@paraph/core";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { Config } from "../config/config.ts";
import { loadPolicies } from "./cedar/index.ts";
import { createPolicyWorkbench } from "./workbench.ts";

const createCapability = (name: string, effect: "write" | "destroy", risk: "medium" | "high" = "medium") =>
  defineCapability({
    name,
    version: 1,
    summary: "Pays",
    effect,
    risk,
    idempotency: "natural",
    input: z.object({ cents: z.int() }),
    output: z.object({}),
    apply: async () => ({}),
  });
const capabilities = [createCapability("bank.pay", "write"), createCapability("bank.close", "destroy")];
const rules: Config["rules"] = [
  { capability: "bank.close", ask: "owners", people: 2, sentence: "Closing needs two owners." },
  { capability: "bank.pay", when: { "input.cents": { under: 1_000 } }, allow: "unattended" },
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-workbench-"));
  await mkdir(join(folder, "policies"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const computeVersion = async (config: Config) =>
  loadPolicies(
    (await createPolicyWorkbench(config, folder)).createDocument(),
    capabilities.map(({ contract }) => contract),
  ).version;

it("ejected rules that are used as a policy file give a policy set with the same digest", async () => {
  const {
    rules: text = "",
    unattended,
    preset,
  } = (await createPolicyWorkbench({ capabilities, rules }, folder)).eject();
  expect(preset).toContain('@id("reads-are-permitted")');
  const before = await computeVersion({ capabilities, rules });
  await writeFile(join(folder, "policies/ejected.cedar"), text);
  expect(await computeVersion({ capabilities, unattended })).toBe(before);
});

it("names the place of a rule in the configuration file, not in the compiled text", async () => {
  const source = {
    file: "paraph.config.ts",
    text: "export default {\n  rules: [\n    {},\n    {},\n  ],\n};",
  };
  const twoRules: Config["rules"] = [rules![1]!, rules![0]!];
  const { lint } = await createPolicyWorkbench({ capabilities, rules: twoRules }, folder, source);
  const findings = lint({ all: 5, byGroup: new Map([["owners", 1]]) });
  expect(findings.filter(({ file }) => file === "paraph.config.ts")).toMatchObject([
    { line: 4, sentence: expect.stringMatching(/^`rule-2-.* needs 2 approvers .* which has one member, /) },
  ]);
});

it("tests the rules with the server's rulings, including evidence", async () => {
  const text = `
- { name: small, as: { kind: agent }, capability: bank.pay, input: { cents: 5 }, expect: allow }
- { name: large, as: { kind: agent }, capability: bank.pay, input: { cents: 5000 }, expect: ask }
- name: closing takes two owners
  as: { kind: person, id: ana }
  capability: bank.close
  input: { cents: 0 }
  evidence: { approvedBy: [{ id: bo, groups: [owners] }, { id: cy, groups: [owners] }] }
  expect: allow
- name: and not one of them and a stranger
  as: { kind: person, id: ana }
  capability: bank.close
  input: { cents: 0 }
  evidence: { approvedBy: [{ id: bo, groups: [owners] }, cy] }
  expect: ask
  policies: [rule-1-bank.close]
  sentence: Closing needs two owners.
`;
  const result = (await createPolicyWorkbench({ capabilities, rules }, folder)).test([
    { file: "t.yaml", text },
  ]);
  expect(result.cases.flatMap(({ faults }) => faults)).toEqual([]);
  expect(result).toMatchObject({ passed: true, faults: [] });
  expect(result.uncovered.filter(({ preset }) => !preset)).toEqual([]);
  expect(result.uncovered).toContainEqual(
    expect.objectContaining({ id: "reads-are-permitted", preset: true }),
  );
});

it("[P11] reports rules and files that do not load as faults with their location", async () => {
  const wrong: Config = { capabilities, rules: [{ capability: "bank.rob", block: true }] };
  const { test, lint } = await createPolicyWorkbench(wrong, folder);
  expect(test([])).toMatchObject({ passed: false, faults: [{ file: expect.stringContaining("rules[0]") }] });
  expect(lint()).toMatchObject([{ weight: "error", file: expect.stringContaining("rules[0]") }]);
  await writeFile(join(folder, "policies/a.cedar"), '\n@id("x") permit (principal, action, nothing);');
  const place = { file: "policies/a.cedar", line: 2 };
  expect((await createPolicyWorkbench({ capabilities }, folder)).test([])).toMatchObject({
    passed: false,
    faults: [place],
  });
  expect((await createPolicyWorkbench({ capabilities }, folder)).lint()).toMatchObject([
    { weight: "error", ...place },
  ]);
});

it("lint reports a rule that its group can never approve, if the group sizes are known", async () => {
  const { lint } = await createPolicyWorkbench({ capabilities, rules }, folder);
  expect(lint().filter(({ weight }) => weight === "error")).toEqual([]);
  expect(lint({ all: 3, byGroup: new Map([["owners", 1]]) })).toContainEqual(
    expect.objectContaining({ weight: "error", code: "unapprovable", policy: "rule-1-bank.close" }),
  );
});

it("lint reports an allowance that the risk of every selected capability makes useless", async () => {
  const all = [...capabilities, createCapability("bank.loan", "write", "high")];
  const source = { file: "paraph.config.ts", text: 'rules: [\n  {},\n  { allow: "unattended" },\n]' };
  const lint = async (config: Pick<Config, "rules" | "unattended" | "policy">) =>
    (await createPolicyWorkbench({ capabilities: all, ...config }, folder, source)).lint();
  const loan = {
    capability: "bank.loan",
    when: { "input.cents": { under: 9 } },
    allow: "unattended",
  } as const;
  expect(await lint({ rules: [rules![1]!, loan] })).toEqual([
    {
      weight: "warning",
      code: "unattended-without-effect",
      file: "paraph.config.ts",
      line: 3,
      sentence: expect.stringMatching(
        /^`rules\[1\]\.allow`: `bank\.loan` has high risk, so people still approve/,
      ),
    },
  ]);
  // The pattern also selects `bank.pay`, which agents may now use unattended.
  expect(await lint({ rules: [{ ...loan, capability: "bank.*" }] })).toEqual([]);
  expect(await lint({ unattended: ["bank.pay", "bank.close"] })).toMatchObject([
    { file: "unattended", sentence: expect.stringMatching(/^`bank\.close` is destructive/) },
  ]);
  // `strict` asks about every write. The linter says so once, and not for each capability.
  expect(await lint({ policy: "strict", rules: [loan] })).toHaveLength(1);
});
