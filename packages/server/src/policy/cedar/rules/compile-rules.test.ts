import { defineCapability, type Preview, type Principal } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assemblePolicyDocument, compileRules, loadPolicies, type Preset, type Rule } from "../index.ts";
import {
  anna,
  captureLoadMessage,
  checkContracts,
  createContract,
  mondayEnvironment,
  ruleContract,
  sampleAgent,
  sampleService,
} from "../testing/sample-contracts.ts";

const merge = createContract("github.merge_pull_request", { input: z.object({ repo: z.string() }) });
const deleteRepo = createContract("github.delete_repo", {
  effect: "destroy",
  input: z.object({ repo: z.string() }),
});
const execute = createContract("db.execute", { input: z.object({ sql: z.string() }) });
const query = createContract("db.query", { effect: "read", input: z.object({ sql: z.string() }) });
const pay = createContract("billing.refund", {
  input: z.object({
    cents: z.int(),
    "pay-to": z.string().optional(),
    customer: z.object({ country: z.string().optional(), vip: z.boolean() }),
    tags: z.array(z.string()).optional(),
    ratio: z.number().optional(),
  }),
});
const save = createContract("files.write", { input: z.object({ path: z.string() }) });
const known = [merge, deleteRepo, execute, query, pay, save, ...checkContracts];

const payment = { cents: 500, customer: { vip: false } };
const createRowsPreview = (...counts: number[]): Preview => ({
  changes: counts.map((count) => ({ kind: "update", target: "t", details: { rows: count } })),
  basis: {},
});

function loadRules(rules: readonly Rule[], preset: Preset = "balanced") {
  const { source, unattended } = compileRules(rules, known);
  return loadPolicies(assemblePolicyDocument({ preset, sources: [source], unattended }), known);
}

describe("the rules of the design", () => {
  const set = loadRules([
    { capability: "github.merge_pull_request", ask: "eng-leads" },
    { capability: "db.execute", when: { "preview.rows": { over: 1000 } }, ask: "dba", people: 2 },
    { capability: "github.delete_*", block: true },
  ]);

  it("ask the group they name", () => {
    const asked = ruleContract(set, merge, { input: { repo: "a" }, principal: anna });
    expect(asked).toMatchObject({ kind: "ask", policies: ["rule-1-github.merge_pull_request"] });
    expect(set.guards.get("rule-1-github.merge_pull_request")).toMatchObject({
      group: "eng-leads",
      quorum: 1,
    });
  });

  it("read the rows of the preview, and treat a preview without a count as over the limit", () => {
    const by = (preview?: Preview) =>
      ruleContract(set, execute, { input: { sql: "x" }, principal: anna, ...(preview && { preview }) }).kind;
    expect([
      by(),
      by(createRowsPreview(1000)),
      by(createRowsPreview(999, 2)),
      by(createRowsPreview()),
    ]).toEqual(["allow", "allow", "ask", "ask"]);
    expect(set.guards.get("rule-2-db.execute")).toMatchObject({ group: "dba", quorum: 2 });
  });

  it("block every capability that a pattern matches, including capabilities that are added later", () => {
    expect(ruleContract(set, deleteRepo, { input: { repo: "a" }, principal: anna })).toMatchObject({
      kind: "block",
      code: "forbidden",
      policies: ["high-risk-needs-a-person", "rule-3-github.delete_any"],
      sentence: expect.stringContaining("A rule of the configuration blocks this."),
    });
    const later = createContract("github.delete_branch", { effect: "write" });
    const { source } = compileRules([{ capability: "github.delete_*", block: true }], known);
    const reloaded = loadPolicies(assemblePolicyDocument({ sources: [source] }), [...known, later]);
    expect(ruleContract(reloaded, later, { principal: anna }).kind).toBe("block");
    expect(ruleContract(reloaded, merge, { principal: anna, input: { repo: "a" } }).kind).toBe("allow");
  });

  it("[P11] apply without their input conditions to a capability that appears after they were compiled", () => {
    const later = createContract("billing.transfer", { input: z.object({ cents: z.int() }) });
    const other = createContract("files.append", { input: z.object({ cents: z.int() }) });
    const by = (rule: Rule) => {
      const { source } = compileRules([{ ...rule, when: { "input.cents": { over: 499 } } }], known);
      const set = loadPolicies(assemblePolicyDocument({ sources: [source] }), [...known, later, other]);
      const little = { input: { cents: 1 }, principal: anna };
      return [
        ruleContract(set, later, little).kind,
        ruleContract(set, other, little).kind,
        ruleContract(set, pay, { ...little, input: { ...payment, cents: 1 } }).kind,
      ];
    };
    expect(by({ capability: "billing.*", block: true })).toEqual(["block", "allow", "allow"]);
    expect(by({ adapter: "billing", ask: true })).toEqual(["ask", "allow", "allow"]);
    expect(by({ effect: "write", block: true })).toEqual(["block", "block", "allow"]);
    expect(by({ capability: "billing.*", for: { kind: "agent" }, block: true })[0]).toBe("allow");
    expect(by({ capability: "billing.refund", block: true })).toEqual(["allow", "allow", "allow"]);
  });

  it("[P11] compile to the same text in processes that know more capabilities", () => {
    const rules: Rule[] = [
      { capability: "github.*", ask: true },
      { effect: "write", risk: "medium", ask: true },
    ];
    const more = createContract("github.archive", {});
    expect(compileRules(rules, [...known, more]).source).toEqual(compileRules(rules, known).source);
  });
});

describe("selectors and conditions", () => {
  const blocked = (rule: Rule, principal: Principal, input: object = payment) =>
    ruleContract(loadRules([{ ...rule, block: true }]), pay, { principal, input: input as typeof payment })
      .kind === "block";

  it.each<[string, Rule, boolean[]]>([
    ["everybody", { capability: "*" }, [true, true, true]],
    ["an adapter", { adapter: "billing" }, [true, true, true]],
    ["another adapter", { adapter: "github" }, [false, false, false]],
    ["an effect and a risk", { effect: "write", risk: "medium" }, [true, true, true]],
    ["an effect and another risk", { effect: "write", risk: "high" }, [false, false, false]],
    ["a kind", { adapter: "billing", for: { kind: "agent" } }, [true, false, false]],
    ["a principal", { adapter: "billing", for: { principal: "anna" } }, [false, false, true]],
    [
      "one of a kind",
      { adapter: "billing", for: { principal: "anna", kind: "agent" } },
      [false, false, false],
    ],
    ["a group", { adapter: "billing", for: { group: "staff" } }, [false, false, true]],
  ])("%s", (_, rule, expected) => {
    const people = [sampleAgent, sampleService, { ...anna, groups: ["staff"] }];
    expect(people.map((principal) => blocked(rule, principal))).toEqual(expected);
  });

  it.each<[string, Rule["when"], object, boolean]>([
    ["over", { "input.cents": { over: 499 } }, payment, true],
    ["not over", { "input.cents": { over: 500 } }, payment, false],
    ["between", { "input.cents": { over: 100, under: 1000 } }, payment, true],
    ["is, a number", { "input.cents": { is: 500 } }, payment, true],
    ["is, a truth", { "input.customer.vip": { is: false } }, payment, true],
    ["is, and not there", { "input.customer.country": { is: "DE" } }, payment, false],
    [
      "is, optional",
      { "input.customer.country": { is: "DE" } },
      { ...payment, customer: { vip: true, country: "DE" } },
      true,
    ],
    ["one of", { "input.cents": { oneOf: [1, 500] } }, payment, true],
    ["a list has", { "input.tags": { is: "x" } }, { ...payment, tags: ["y", "x"] }, true],
    ["a list has one of", { "input.tags": { oneOf: ["x", "z"] } }, { ...payment, tags: ["y"] }, false],
    ["starts with", { "input.pay-to": { startsWith: 'DE*"' } }, { ...payment, "pay-to": 'DE*"12' }, true],
    [
      "does not start with",
      { "input.pay-to": { startsWith: "DE*" } },
      { ...payment, "pay-to": "DEx" },
      false,
    ],
    ["both", { "input.cents": { over: 1 }, "input.customer.vip": { is: true } }, payment, false],
  ])("%s", (_, when, input, expected) => {
    expect(blocked({ adapter: "billing", ...(when && { when }) }, anna, input)).toBe(expected);
  });

  it("a rule can have a condition on the environment", () => {
    const set = loadRules([{ capability: "billing.*", when: { "env.hour": { under: 10 } }, block: true }]);
    expect(ruleContract(set, pay, { principal: anna, input: payment, env: mondayEnvironment }).kind).toBe(
      "block",
    );
  });

  it("a condition on an input applies only to the capabilities that have the input", () => {
    const set = loadRules([{ capability: "*", when: { "input.sql": { startsWith: "drop" } }, block: true }]);
    expect(ruleContract(set, query, { input: { sql: "drop x" } }).kind).toBe("block");
    expect(ruleContract(set, pay, { input: payment, principal: anna }).kind).toBe("allow");
  });
});

describe("a rule", () => {
  it("demands checks by level or by name, and asks or refuses if one fails", () => {
    const set = loadRules([
      { capability: "files.write", check: "basic" },
      {
        capability: "db.execute",
        check: ["check.secrets"],
        onFail: "ask",
        ask: "dba",
        people: 2,
        proof: "passkey",
        deadline: "2h",
        reply: "approve",
      },
    ]);
    expect(set.guards.get("rule-1-files.write")).toMatchObject({
      checks: ["check.secrets", "check.syntax"],
      onFail: "refuse",
    });
    expect(set.guards.get("rule-2-db.execute")).toMatchObject({
      checks: ["check.secrets"],
      onFail: "ask",
      group: "dba",
      quorum: 2,
      proof: "passkey",
      withinMs: 7_200_000,
      reply: "approve",
    });
  });

  it("can have its own sentence and run in shadow", () => {
    const rule: Rule = {
      capability: "files.write",
      ask: true,
      urgency: "high",
      sentence: 'Say "why".\n',
      shadow: true,
    };
    const set = loadRules([rule]);
    expect(set.guards.size).toBeLessThan(set.withShadows!.guards.size);
    expect(set.withShadows?.guards.get("rule-1-files.write")).toMatchObject({
      sentence: 'Say "why".\n',
      urgency: "high",
    });
  });
});

describe("[TRUST 15] unattended use", () => {
  const within: Rule[] = [
    { capability: "billing.refund", when: { "input.cents": { under: 2000 } }, allow: "unattended" },
    { capability: "billing.refund", for: { group: "finance-bots" }, allow: "unattended" },
    { capability: "files.*", when: { "input.path": { startsWith: "/srv/" } }, allow: "unattended" },
    { capability: "db.execute", when: { "preview.rows": { under: 10 } }, allow: "unattended" },
  ];

  it("is allowed only within the bounds of a rule, and approvers are asked outside of them", () => {
    const set = loadRules(within);
    const by = (cents: number, groups: string[] = []) =>
      ruleContract(set, pay, { principal: { ...sampleAgent, groups }, input: { ...payment, cents } }).kind;
    expect([by(1999), by(2000), by(2000, ["finance-bots"])]).toEqual(["allow", "ask", "allow"]);
    expect(ruleContract(set, merge, { input: { repo: "a" } }).kind).toBe("ask");
    const preview = (...counts: number[]) =>
      ruleContract(set, execute, { input: { sql: "x" }, preview: createRowsPreview(...counts) }).kind;
    expect([preview(9), preview(10), preview()]).toEqual(["allow", "ask", "ask"]);
    expect(ruleContract(set, execute, { input: { sql: "x" } }).kind).toBe("ask");
  });

  it.each(["/srv/../etc/passwd", "/etc/passwd", "/srv/a/..", "srv/"])(
    "is not allowed for a path that leaves the bounds: %s",
    (path) => {
      const set = loadRules(within);
      expect(ruleContract(set, save, { input: { path: "/srv/a" } }).kind).toBe("allow");
      expect(ruleContract(set, save, { input: { path } }).kind).toBe("ask");
    },
  );

  it.each<[string, NonNullable<Rule["when"]>[string]]>([
    ["is", { is: "team" }],
    ["one of", { oneOf: ["team", "staff"] }],
  ])("is not allowed for a list with an entry outside of the bounds: %s", (_, bound) => {
    const set = loadRules([
      { capability: "billing.refund", when: { "input.tags": bound }, allow: "unattended" },
    ]);
    const by = (...tags: string[]) => ruleContract(set, pay, { input: { ...payment, tags } }).kind;
    expect([by("team"), by("team", "team"), by("team", "other"), by("other"), by()]).toEqual([
      ...["allow", "allow"],
      ...["ask", "ask", "ask"],
    ]);
    expect(ruleContract(set, pay, { input: payment }).kind).toBe("ask");
  });

  it("without bounds adds the capability's name to the policy document", () => {
    expect(compileRules([{ capability: "files.*", allow: "unattended" }], known)).toMatchObject({
      unattended: ["files.write"],
    });
    expect(
      ruleContract(loadRules([{ adapter: "files", allow: "unattended" }]), save, { input: { path: "x" } })
        .kind,
    ).toBe("allow");
  });

  it("tells approvers the sentences of the rules whose bounds a call does not meet", () => {
    const sentence = "Refunds above 20 € need an approval.";
    const set = loadRules([{ ...within[0]!, sentence }, ...within.slice(1)]);
    expect(ruleContract(set, pay, { input: { ...payment, cents: 2000 } }).sentence).toContain(sentence);
    expect(ruleContract(loadRules(within), pay, { input: { ...payment, cents: 2000 } }).sentence).toContain(
      "This is outside the bounds for unattended use.",
    );
  });

  it("does not loosen the preset `strict`", () => {
    expect(ruleContract(loadRules(within, "strict"), pay, { input: { ...payment, cents: 1 } }).kind).toBe(
      "ask",
    );
  });
});

describe("[P11] faults", () => {
  const odd = defineCapability({
    name: "odd.fraction",
    version: 1,
    summary: "Odd",
    effect: "write",
    idempotency: "natural",
    input: z.object({ cents: z.number(), repo: z.int() }),
    output: z.object({}),
    apply: async () => ({}),
  }).contract;

  it.each<[string, object, RegExp]>([
    [
      "no capability of this name",
      { capability: "files.wirte", block: true },
      /rules\[0\]\.capability: no capability is called `files.wirte`. Did you mean `files.write`\?/,
    ],
    ["no adapter of this name", { adapter: "gitlab", block: true }, /rules\[0\]\.adapter: no adapter/],
    [
      "a pattern of no adapter",
      { capability: "gitlab.*", block: true },
      /rules\[0\]\.capability: no adapter is called `gitlab`/,
    ],
    ["about nothing", { block: true }, /rules\[0\]\.capability: selects no capability/],
    ["saying nothing", { capability: "*" }, /rules\[0\]: needs exactly one/],
    ["saying two things", { capability: "*", block: true, ask: true }, /rules\[0\]: needs exactly one/],
    ["a word nobody knows", { capability: "*", blok: true }, /rules\[0\].*blok/],
    [
      "people for nobody",
      { capability: "*", block: true, people: 2 },
      /rules\[0\]\.people: is only for rules that ask/,
    ],
    ["too many people", { capability: "*", ask: true, people: 21 }, /rules\[0\]\.people/],
    ["an end without a check", { capability: "*", ask: true, onFail: "ask" }, /rules\[0\]\.onFail/],
    [
      "a trial that loosens",
      { capability: "files.*", allow: "unattended", shadow: true },
      /rules\[0\]\.shadow/,
    ],
    [
      "a deadline that is none",
      { capability: "*", ask: true, deadline: "soon" },
      /rules\[0\]\.deadline: expected a duration/,
    ],
    [
      "a bound that says nothing",
      { capability: "*", when: { "env.hour": {} }, ask: true },
      /rules\[0\]\.when\.env\.hour: needs at least one of/,
    ],
    [
      "a bound that is a fraction",
      { capability: "*", when: { "env.hour": { over: 0.5 } }, ask: true },
      /rules\[0\]\.when\.env\.hour\.over/,
    ],
    [
      "a bound nobody knows",
      { capability: "*", when: { "env.hour": { above: 1 } }, ask: true },
      /rules\[0\]\.when\.env\.hour/,
    ],
    [
      "a place nobody knows",
      { capability: "*", when: { "env.mood": { is: 1 } }, ask: true },
      /rules\[0\]\.when\.env\.mood: not a field/,
    ],
    [
      "an input nothing has",
      { capability: "files.*", when: { "input.cents": { is: 1 } }, ask: true },
      /rules\[0\]\.when\.input\.cents: no capability/,
    ],
    [
      "an input Cedar cannot type",
      { adapter: "billing", when: { "input.ratio": { over: 1 } }, ask: true },
      /rules\[0\]\.when\.input\.ratio: Cedar cannot/,
    ],
    [
      "an input of different types",
      { capability: "*", when: { "input.repo": { is: "a" } }, ask: true },
      /rules\[0\]\.when\.input\.repo: has different types/,
    ],
    [
      "a bound of another type",
      { adapter: "billing", when: { "input.cents": { is: "5" } }, ask: true },
      /rules\[0\]\.when\.input\.cents\.is: does not apply to a whole number/,
    ],
    [
      "a text that is over",
      { adapter: "files", when: { "input.path": { over: 5 } }, ask: true },
      /does not apply to a text/,
    ],
    [
      "a destroy unattended",
      { capability: "github.delete_repo", allow: "unattended" },
      /rules\[0\]\.allow: .*no capability that writes/,
    ],
  ])("%s", (_, rule, fault) => {
    expect(captureLoadMessage(() => compileRules([rule as Rule], [...known, odd]))).toMatch(fault);
  });

  it("are all reported in one error", () => {
    const rules: Rule[] = [
      { capability: "a.b", block: true },
      { capability: "*", block: true },
      { adapter: "c", ask: true },
    ];
    const message = captureLoadMessage(() => compileRules(rules, known));
    expect(message).toContain("rules[0].capability");
    expect(message).toContain("rules[2].adapter");
    expect(message).not.toContain("rules[1]");
  });
});

it("compiles a rule to readable Cedar", () => {
  const rules: Rule[] = [
    {
      capability: "db.execute",
      when: { "preview.rows": { over: 1000 } },
      ask: "dba",
      people: 2,
      sentence: "Many rows.",
    },
  ];
  expect(
    compileRules(rules, known).source.text,
  ).toBe(`// Compiled from \`rules\` in the configuration: change them there, or eject and change this.

@id("rule-1-db.execute")
@ruling("ask")
@quorum("2")
@urgency("normal")
@group("dba")
@sentence("Many rows.")
forbid (principal, action == Action::"db.execute", resource)
when { context has preview && (if context.preview has rows then context.preview.rows > 1000 else true) }
unless { context.evidence.discharged.contains("rule-1-db.execute") };
`);
});
