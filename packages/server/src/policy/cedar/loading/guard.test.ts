import { type CheckResult, checkInput, checkResult, milliseconds } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  anna,
  captureLoadMessage,
  createApprovals,
  createContract,
  listContract,
  listLoadFaults,
  loadTestPolicies,
  mondayEnvironment,
  ruleContract,
  sampleAgent,
  sampleContracts,
  sampleService,
  writeContract,
} from "../testing/sample-contracts.ts";

const lifted = 'context.evidence.discharged.contains("g")';
const formatGuard = (annotations: string, lift = lifted, effect = "forbid") =>
  `@id("g") ${annotations} ${effect} (principal, action, resource) unless { ${lift} };`;
const whole = '@ruling("ask") @quorum("2") @urgency("high")';
const check = '@ruling("check") @checks("check.secrets")';

describe("[P11] a policy set with an invalid guard or annotation is refused", () => {
  it.each([
    ["no quorum", formatGuard('@ruling("ask") @urgency("high")'), /`@quorum/],
    ["a quorum of none", formatGuard('@ruling("ask") @quorum("0") @urgency("high")'), /from 1 to 20/],
    ["a quorum past twenty", formatGuard('@ruling("ask") @quorum("21") @urgency("high")'), /from 1 to 20/],
    ["no urgency", formatGuard('@ruling("ask") @quorum("1")'), /`@urgency/],
    [
      "an urgency nobody knows",
      formatGuard('@ruling("ask") @quorum("1") @urgency("now")'),
      /normal, high, critical/,
    ],
    ["a ruling nobody knows", formatGuard('@ruling("maybe") @quorum("1")'), /`"ask"` or `"check"`/],
    ["a ruling of nothing", formatGuard("@ruling"), /`"ask"` or `"check"`/],
    ["a group of nobody", formatGuard(`${whole} @group("")`), /`@group/],
    ["a proof nobody knows", formatGuard(`${whole} @proof("password")`), /`@proof.*must be `"passkey"`/],
    ["a proof for nobody", formatGuard(`${check} @proof("passkey")`), /`@proof` needs `@on_fail/],
    ["a reply that does something else", formatGuard(`${whole} @reply("all")`), /`@reply/],
    ["a deadline that is none", formatGuard(`${whole} @deadline("soon")`), /`@deadline/],
    ["a deadline at once", formatGuard(`${whole} @deadline("0s")`), /`@deadline/],
    ["a deadline next year", formatGuard(`${whole} @deadline("365d")`), /at most 30d/],
    ["an unknown annotation", formatGuard(`${whole} @colour("red")`), /`@colour` is not an annotation/],
    [
      "an ask with checks",
      formatGuard(`${whole} @checks("check.secrets")`),
      /`@checks` needs `@ruling\("check"\)`/,
    ],
    ["a check of nothing", formatGuard('@ruling("check")'), /either `@checks/],
    ["a check of an empty list", formatGuard('@ruling("check") @checks(" ")'), /names no check/],
    ["a check of both kinds", formatGuard(`${check} @level("basic")`), /either `@checks/],
    ["a level nobody knows", formatGuard('@ruling("check") @level("deep")'), /basic, standard, thorough/],
    [
      "a check nobody knows",
      formatGuard('@ruling("check") @checks("check.none")'),
      /`check.none` is not a check/,
    ],
    [
      "a check that writes",
      formatGuard('@ruling("check") @checks("files.write")'),
      /`files.write` is not a check/,
    ],
    [
      "a check that takes something else",
      formatGuard('@ruling("check") @checks("files.list")'),
      /is not a check/,
    ],
    ["an end nobody knows", formatGuard(`${check} @on_fail("shrug")`), /`@on_fail/],
    ["a check that asks nobody", formatGuard(`${check} @on_fail("ask") @urgency("high")`), /`@quorum/],
    ["a quorum for nobody", formatGuard(`${check} @quorum("1")`), /`@quorum` needs `@on_fail\("ask"\)`/],
    ["a permit", formatGuard(whole, undefined, "permit"), /a guard must be a `forbid`/],
    ["nothing that lifts it", formatGuard(whole, "false"), /no evidence can lift it/],
    ["another's evidence", formatGuard(whole, lifted.replace('"g"', '"h"')), /no evidence can lift it/],
    [
      "evidence that is not enough",
      formatGuard(whole, `principal is Person && ${lifted}`),
      /no evidence can/,
    ],
    ["annotations without a ruling", formatGuard('@quorum("1") @urgency("high")', "false"), /needs `@ruling/],
    ["a lift without a ruling", formatGuard(""), /lets evidence lift it/],
  ])("%s", (_, text, problem) => {
    const faults = listLoadFaults(text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^mine\.cedar:1: `g` is not a valid guard/);
    expect(faults[0]).toMatch(problem);
  });

  it.each([
    ["an empty sentence", '@sentence("")', "forbid", /`@sentence/],
    ["a sentence without words", "@sentence", "forbid", /`@sentence/],
    ["an unattended forbid", "@unattended", "forbid", /is only for a `permit`/],
    ["unattended with a value", '@unattended("false")', "permit", /must not have a value/],
    ["shadow with a value", '@shadow("no")', "permit", /must not have a value/],
  ])("refuses %s on any policy", (_, annotation, effect, problem) => {
    const faults = listLoadFaults(`@id("p") ${annotation} ${effect} (principal, action, resource);`);
    expect(faults).toEqual([expect.stringMatching(problem)]);
  });

  it("refuses an id that is reserved for callers' requirements", () => {
    expect(listLoadFaults('@id("caller:ask") permit (principal, action, resource);')[0]).toMatch(/`caller:`/);
  });

  it("refuses a level with a missing check, for example if no model is configured", () => {
    const text = formatGuard('@ruling("check") @level("thorough")');
    expect(listLoadFaults(text).join()).toMatch(/`check.review` is not a check/);
    const review = createContract("check.review", { effect: "read", input: checkInput, output: checkResult });
    const levels = { thorough: ["check.secrets", "check.review"] };
    const set = loadTestPolicies(text, { checkLevels: levels, contracts: [...sampleContracts, review] });
    expect(set.guards.get("g")?.checks).toEqual(levels.thorough);
  });
});

describe("a valid guard", () => {
  it("takes its settings from its annotations, and derives its sentence from its id by default", () => {
    const text = formatGuard(`${whole} @group("owners") @proof("passkey") @deadline("2h") @reply("approve")`)
      .replace('@id("g")', '@id("big-sums-need-two")')
      .replace('("g")', '("big-sums-need-two")');
    expect(loadTestPolicies(text).guards.get("big-sums-need-two")).toEqual({
      id: "big-sums-need-two",
      ruling: "ask",
      quorum: 2,
      urgency: "high",
      group: "owners",
      proof: "passkey",
      withinMs: milliseconds("2h"),
      reply: "approve",
      sentence: "Big sums need two.",
    });
    expect(loadTestPolicies(formatGuard(`${whole} @sentence("Why.")`)).guards.get("g")?.sentence).toBe(
      "Why.",
    );
  });

  it("names checks or a level, and refuses or asks when a check fails", () => {
    const base = { id: "g", ruling: "check", sentence: "G." };
    expect(
      loadTestPolicies(formatGuard('@ruling("check") @checks("check.secrets, check.syntax")')).guards.get(
        "g",
      ),
    ).toEqual({
      ...base,
      checks: ["check.secrets", "check.syntax"],
      onFail: "refuse",
      quorum: 1,
      urgency: "normal",
    });
    const asking = '@ruling("check") @level("basic") @on_fail("ask") @quorum("2") @urgency("high")';
    expect(loadTestPolicies(formatGuard(asking)).guards.get("g")).toEqual({
      ...base,
      checks: ["check.secrets", "check.syntax"],
      onFail: "ask",
      quorum: 2,
      urgency: "high",
    });
  });

  it("with a group is satisfied only by votes of the group's members", () => {
    const set = loadTestPolicies(formatGuard(`${whole} @group("owners")`.replace("2", "1")));
    const [vote] = createApprovals("bob");
    expect(ruleContract(set, listContract, { votes: [vote!] })).toMatchObject({
      kind: "ask",
      policies: ["g"],
    });
    expect(ruleContract(set, listContract, { votes: [{ ...vote!, groups: ["owners"] }] }).kind).toBe("allow");
  });

  it("[P11] is satisfied by a check that passed, but not by one that failed or had an error", () => {
    const set = loadTestPolicies(formatGuard(check));
    const result: CheckResult = { check: "check.secrets", passed: true, findings: [] };
    expect(ruleContract(set, listContract)).toMatchObject({ kind: "check", checks: ["check.secrets"] });
    expect(ruleContract(set, listContract, { checks: [result] }).kind).toBe("allow");
    expect(ruleContract(set, listContract, { checks: [{ ...result, passed: false }] })).toMatchObject({
      code: "check-failed",
    });
    expect(ruleContract(set, listContract, { checks: [{ ...result, error: true }] })).toMatchObject({
      code: "check-error",
    });
  });
});

describe("a check", () => {
  it("is a read that accepts the input of checks and requires no further input", () => {
    const more = createContract("check.more", {
      effect: "read",
      input: checkInput.extend({ strict: z.boolean().optional() }),
    });
    loadTestPolicies(formatGuard('@ruling("check") @checks("check.more")'), {
      contracts: [...sampleContracts, more],
    });
    const demanding = createContract("check.more", {
      effect: "read",
      input: checkInput.extend({ key: z.string() }),
    });
    const faulty = () =>
      loadTestPolicies(formatGuard('@ruling("check") @checks("check.more")'), {
        contracts: [...sampleContracts, demanding],
      });
    expect(captureLoadMessage(faulty)).toContain("`check.more` is not a check");
    const writing = createContract("check.more", { effect: "write", input: checkInput });
    const faultier = () =>
      loadTestPolicies(formatGuard('@ruling("check") @checks("check.more")'), {
        contracts: [...sampleContracts, writing],
      });
    expect(captureLoadMessage(faultier)).toContain("`check.more` is not a check");
  });
});

describe("[P11] unapproved changes", () => {
  it("by agents and services need an unattended permit in addition to other permits", () => {
    const permit = '@id("p") permit (principal, action in Action::"effect:write", resource);';
    const open = { preset: "permissive" } as const;
    expect(loadTestPolicies("", open).unattended).toEqual(new Set(["small-writes-may-be-unattended"]));
    expect(loadTestPolicies(permit.replace("permit", "@unattended permit"), open).unattended).toContain("p");
    expect(loadTestPolicies(permit, open).unattended).not.toContain("p");
    expect(ruleContract(loadTestPolicies("", open), writeContract).kind).toBe("allow");
    // Without its only unattended permit, the same set allows people and no other principals.
    const set = { ...loadTestPolicies("", open), unattended: new Set<string>() };
    expect(ruleContract(set, writeContract)).toMatchObject({ kind: "block", code: "not-confirmed" });
    expect(ruleContract(set, writeContract, { principal: sampleService })).toMatchObject({
      code: "not-confirmed",
    });
    expect(ruleContract(set, writeContract, { principal: anna }).kind).toBe("allow");
  });
});

describe("sentences", () => {
  it("of any policy appear in the ruling", () => {
    const set = loadTestPolicies('@id("no") @sentence("Not here.") forbid (principal, action, resource);');
    expect(set.sentences?.get("no")).toBe("Not here.");
    expect(ruleContract(set, listContract)).toMatchObject({ kind: "block", sentence: "Not here." });
  });
});

describe("a shadow policy", () => {
  const text = `@id("trial") @shadow forbid (principal, action == Action::"files.list", resource);
@id("late") @shadow ${formatGuard(whole).replace('@id("g")', "").replace('"g"', '"late"').replace("unless", "when { context.env.hour > 8 } unless")}`;

  it("does not change the ruling, and its own ruling is reported", () => {
    const set = loadTestPolicies(text);
    expect(set.withShadows?.version).toBe(set.version);
    expect([set.guards.has("late"), set.withShadows?.guards.has("late")]).toEqual([false, true]);
    expect(ruleContract(set, listContract, { env: mondayEnvironment })).toMatchObject({
      kind: "allow",
      shadow: { kind: "block", policies: ["late", "trial"] },
    });
    expect(ruleContract(set, writeContract, { principal: anna, env: mondayEnvironment })).toMatchObject({
      kind: "allow",
      shadow: { kind: "ask", policies: ["late"] },
    });
  });

  it("that uses the environment makes the whole policy set read it", () => {
    expect(loadTestPolicies(text).readsEnvironment(writeContract)).toBe(true);
    expect(loadTestPolicies(text.split("\n")[0]).readsEnvironment(writeContract)).toBe(false);
  });

  it("a policy set without shadow policies has no `withShadows`", () => {
    expect(loadTestPolicies().withShadows).toBeUndefined();
  });
});

it("policies can refer to the groups of agents and of people", () => {
  const text = `@id("not-them") forbid (principal in Group::"interns", action, resource);
@id("but-them") forbid (principal, action, resource) unless { principal in Group::"staff" || principal is Person };`;
  const set = loadTestPolicies(text);
  const within = (...groups: string[]) =>
    ruleContract(set, listContract, { principal: { ...sampleAgent, groups } }).kind;
  expect([within(), within("staff"), within("staff", "interns"), within("other")]).toEqual([
    "block",
    "allow",
    "block",
    "block",
  ]);
  expect(ruleContract(set, listContract, { principal: { ...anna, groups: ["interns"] } }).kind).toBe("block");
});

it.each<[unknown]>([["a"], [{ 0: "a", length: 1 }], [null], [5]])(
  "[P11] a principal with the invalid groups %j is blocked",
  (groups) => {
    const set = loadTestPolicies(
      '@id("but-them") forbid (principal, action, resource) unless { principal in Group::"a" };',
    );
    expect(ruleContract(set, listContract, { principal: { ...sampleAgent, groups: ["a"] } }).kind).toBe(
      "allow",
    );
    const principal = { ...sampleAgent, groups: groups as string[] };
    expect(ruleContract(set, listContract, { principal })).toMatchObject({
      kind: "block",
      code: "policy-error",
    });
  },
);
