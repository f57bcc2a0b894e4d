import { type CheckResult, checkInput, checkResult, milliseconds } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  agent,
  anna,
  contract,
  contracts,
  faultsOf,
  list,
  load,
  messageOf,
  monday,
  ruling,
  service,
  write,
  yes,
} from "./test-capabilities.ts";

const lifted = 'context.evidence.discharged.contains("g")';
const guard = (annotations: string, lift = lifted, effect = "forbid") =>
  `@id("g") ${annotations} ${effect} (principal, action, resource) unless { ${lift} };`;
const whole = '@ruling("ask") @quorum("2") @urgency("high")';
const check = '@ruling("check") @checks("check.secrets")';

describe("[P11] a guard without its annotations is refused", () => {
  it.each([
    ["no quorum", guard('@ruling("ask") @urgency("high")'), /`@quorum/],
    ["a quorum of none", guard('@ruling("ask") @quorum("0") @urgency("high")'), /from 1 to 20/],
    ["a quorum past twenty", guard('@ruling("ask") @quorum("21") @urgency("high")'), /from 1 to 20/],
    ["no urgency", guard('@ruling("ask") @quorum("1")'), /`@urgency/],
    [
      "an urgency nobody knows",
      guard('@ruling("ask") @quorum("1") @urgency("now")'),
      /normal, high, critical/,
    ],
    ["a ruling nobody knows", guard('@ruling("maybe") @quorum("1")'), /`"ask"` or `"check"`/],
    ["a ruling of nothing", guard("@ruling"), /`"ask"` or `"check"`/],
    ["a group of nobody", guard(`${whole} @group("")`), /`@group/],
    ["a deadline that is none", guard(`${whole} @deadline("soon")`), /`@deadline/],
    ["a deadline at once", guard(`${whole} @deadline("0s")`), /`@deadline/],
    ["a deadline next year", guard(`${whole} @deadline("365d")`), /at most 30d/],
    ["an unknown annotation", guard(`${whole} @colour("red")`), /`@colour` is not an annotation/],
    [
      "an ask with checks",
      guard(`${whole} @checks("check.secrets")`),
      /`@checks` needs `@ruling\("check"\)`/,
    ],
    ["a check of nothing", guard('@ruling("check")'), /either `@checks/],
    ["a check of an empty list", guard('@ruling("check") @checks(" ")'), /names no check/],
    ["a check of both kinds", guard(`${check} @level("basic")`), /either `@checks/],
    ["a level nobody knows", guard('@ruling("check") @level("deep")'), /basic, standard, thorough/],
    ["a check nobody knows", guard('@ruling("check") @checks("check.none")'), /`check.none` is no check/],
    ["a check that writes", guard('@ruling("check") @checks("files.write")'), /`files.write` is no check/],
    ["a check that takes something else", guard('@ruling("check") @checks("files.list")'), /is no check/],
    ["an end nobody knows", guard(`${check} @on_fail("shrug")`), /`@on_fail/],
    ["a check that asks nobody", guard(`${check} @on_fail("ask") @urgency("high")`), /`@quorum/],
    ["a quorum for nobody", guard(`${check} @quorum("1")`), /`@quorum` needs `@on_fail\("ask"\)`/],
    ["a permit", guard(whole, undefined, "permit"), /a guard is a `forbid`/],
    ["nothing that lifts it", guard(whole, "false"), /nothing would lift it/],
    ["another's evidence", guard(whole, lifted.replace('"g"', '"h"')), /nothing would lift it/],
    ["evidence that is not enough", guard(whole, `principal is Person && ${lifted}`), /nothing would/],
    ["annotations without a ruling", guard('@quorum("1") @urgency("high")', "false"), /needs `@ruling/],
    ["a lift without a ruling", guard(""), /evidence lifts it/],
  ])("%s", (_, text, problem) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^mine\.cedar:1: `g` is a guard without its annotations/);
    expect(faults[0]).toMatch(problem);
  });

  it.each([
    ["an empty sentence", '@sentence("")', "forbid", /`@sentence/],
    ["a sentence without words", "@sentence", "forbid", /`@sentence/],
    ["an unattended forbid", "@unattended", "forbid", /belongs to a `permit`/],
    ["unattended with a value", '@unattended("false")', "permit", /stands alone/],
    ["shadow with a value", '@shadow("no")', "permit", /stands alone/],
  ])("and so is %s on any policy", (_, annotation, effect, problem) => {
    const faults = faultsOf(`@id("p") ${annotation} ${effect} (principal, action, resource);`);
    expect(faults).toEqual([expect.stringMatching(problem)]);
  });

  it("and an id that callers' own demands go by", () => {
    expect(faultsOf('@id("caller:ask") permit (principal, action, resource);')[0]).toMatch(/`caller:`/);
  });

  it("and a level whose checks are not all there, as where no model is configured", () => {
    const text = guard('@ruling("check") @level("thorough")');
    expect(faultsOf(text).join()).toMatch(/`check.review` is no check/);
    const review = contract("check.review", { effect: "read", input: checkInput, output: checkResult });
    const levels = { thorough: ["check.secrets", "check.review"] };
    const set = load(text, { checkLevels: levels, contracts: [...contracts, review] });
    expect(set.guards.get("g")?.checks).toEqual(levels.thorough);
  });
});

describe("a whole guard", () => {
  it("asks as its annotations say, its sentence made from its id unless given", () => {
    const text = guard(`${whole} @group("owners") @deadline("2h")`)
      .replace('@id("g")', '@id("big-sums-need-two")')
      .replace('("g")', '("big-sums-need-two")');
    expect(load(text).guards.get("big-sums-need-two")).toEqual({
      id: "big-sums-need-two",
      ruling: "ask",
      quorum: 2,
      urgency: "high",
      group: "owners",
      withinMs: milliseconds("2h"),
      sentence: "Big sums need two.",
    });
    expect(load(guard(`${whole} @sentence("Why.")`)).guards.get("g")?.sentence).toBe("Why.");
  });

  it("checks by name or by level, and refuses or asks where one fails", () => {
    const base = { id: "g", ruling: "check", sentence: "G." };
    expect(load(guard('@ruling("check") @checks("check.secrets, check.syntax")')).guards.get("g")).toEqual({
      ...base,
      checks: ["check.secrets", "check.syntax"],
      onFail: "refuse",
      quorum: 1,
      urgency: "normal",
    });
    const asking = '@ruling("check") @level("basic") @on_fail("ask") @quorum("2") @urgency("high")';
    expect(load(guard(asking)).guards.get("g")).toEqual({
      ...base,
      checks: ["check.secrets", "check.syntax"],
      onFail: "ask",
      quorum: 2,
      urgency: "high",
    });
  });

  it("only a group's people lift it", () => {
    const set = load(guard(`${whole} @group("owners")`.replace("2", "1")));
    const [vote] = yes("bob");
    expect(ruling(set, list, { votes: [vote!] })).toMatchObject({ kind: "ask", policies: ["g"] });
    expect(ruling(set, list, { votes: [{ ...vote!, groups: ["owners"] }] }).kind).toBe("allow");
  });

  it("[P11] a check that passed lifts it, one that failed or erred does not", () => {
    const set = load(guard(check));
    const result: CheckResult = { check: "check.secrets", passed: true, findings: [] };
    expect(ruling(set, list)).toMatchObject({ kind: "check", checks: ["check.secrets"] });
    expect(ruling(set, list, { checks: [result] }).kind).toBe("allow");
    expect(ruling(set, list, { checks: [{ ...result, passed: false }] })).toMatchObject({
      code: "check-failed",
    });
    expect(ruling(set, list, { checks: [{ ...result, error: true }] })).toMatchObject({
      code: "check-error",
    });
  });
});

describe("a check", () => {
  it("is a read that takes what checks are told, and may take more that is optional", () => {
    const more = contract("check.more", {
      effect: "read",
      input: checkInput.extend({ strict: z.boolean().optional() }),
    });
    load(guard('@ruling("check") @checks("check.more")'), { contracts: [...contracts, more] });
    const demanding = contract("check.more", {
      effect: "read",
      input: checkInput.extend({ key: z.string() }),
    });
    const faulty = () =>
      load(guard('@ruling("check") @checks("check.more")'), { contracts: [...contracts, demanding] });
    expect(messageOf(faulty)).toContain("`check.more` is no check");
    const writing = contract("check.more", { effect: "write", input: checkInput });
    const faultier = () =>
      load(guard('@ruling("check") @checks("check.more")'), { contracts: [...contracts, writing] });
    expect(messageOf(faultier)).toContain("`check.more` is no check");
  });
});

describe("[P11] changes that nobody approved", () => {
  it("need a permit that is unattended, beside whatever else permits", () => {
    const permit = '@id("p") permit (principal, action in Action::"effect:write", resource);';
    const open = { preset: "permissive" } as const;
    expect(load("", open).unattended).toEqual(new Set(["small-writes-may-be-unattended"]));
    expect(load(permit.replace("permit", "@unattended permit"), open).unattended).toContain("p");
    expect(load(permit, open).unattended).not.toContain("p");
    expect(ruling(load("", open), write).kind).toBe("allow");
    // Without its one unattended permit the same set lets people through and nobody else.
    const set = { ...load("", open), unattended: new Set<string>() };
    expect(ruling(set, write)).toMatchObject({ kind: "block", code: "not-confirmed" });
    expect(ruling(set, write, { principal: service })).toMatchObject({ code: "not-confirmed" });
    expect(ruling(set, write, { principal: anna }).kind).toBe("allow");
  });
});

describe("sentences", () => {
  it("of any policy reach people", () => {
    const set = load('@id("no") @sentence("Not here.") forbid (principal, action, resource);');
    expect(set.sentences?.get("no")).toBe("Not here.");
    expect(ruling(set, list)).toMatchObject({ kind: "block", sentence: "Not here." });
  });
});

describe("a policy in shadow", () => {
  const text = `@id("trial") @shadow forbid (principal, action == Action::"files.list", resource);
@id("late") @shadow ${guard(whole).replace('@id("g")', "").replace('"g"', '"late"').replace("unless", "when { context.env.hour > 8 } unless")}`;

  it("hinders nothing, and what it would have done is told", () => {
    const set = load(text);
    expect(set.withShadows?.version).toBe(set.version);
    expect([set.guards.has("late"), set.withShadows?.guards.has("late")]).toEqual([false, true]);
    expect(ruling(set, list, { env: monday })).toMatchObject({
      kind: "allow",
      shadow: { kind: "block", policies: ["late", "trial"] },
    });
    expect(ruling(set, write, { principal: anna, env: monday })).toMatchObject({
      kind: "allow",
      shadow: { kind: "ask", policies: ["late"] },
    });
  });

  it("is heard about the environment too, which is fetched once for both", () => {
    expect(load(text).readsEnvironment(write)).toBe(true);
    expect(load(text.split("\n")[0]).readsEnvironment(write)).toBe(false);
  });

  it("a set without any has no second one", () => {
    expect(load().withShadows).toBeUndefined();
  });
});

it("a group's members are known, whoever they are", () => {
  const text = `@id("not-them") forbid (principal in Group::"interns", action, resource);
@id("but-them") forbid (principal, action, resource) unless { principal in Group::"staff" || principal is Person };`;
  const set = load(text);
  const within = (...groups: string[]) => ruling(set, list, { principal: { ...agent, groups } }).kind;
  expect([within(), within("staff"), within("staff", "interns"), within("other")]).toEqual([
    "block",
    "allow",
    "block",
    "block",
  ]);
  expect(ruling(set, list, { principal: { ...anna, groups: ["interns"] } }).kind).toBe("block");
});

it.each<[unknown]>([["a"], [{ 0: "a", length: 1 }], [null], [5]])(
  "[P11] groups of %j are none, and block",
  (groups) => {
    const set = load(
      '@id("but-them") forbid (principal, action, resource) unless { principal in Group::"a" };',
    );
    expect(ruling(set, list, { principal: { ...agent, groups: ["a"] } }).kind).toBe("allow");
    const principal = { ...agent, groups: groups as string[] };
    expect(ruling(set, list, { principal })).toMatchObject({ kind: "block", code: "policy-error" });
  },
);
