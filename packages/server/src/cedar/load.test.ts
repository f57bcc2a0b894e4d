import { describe, expect, it } from "vitest";
import { z } from "zod";
import { loadPolicies, PolicyLoadError } from "./index.ts";
import { contract, contracts, load, write } from "./test-capabilities.ts";

describe("[P11] a set with a fault is not loaded", () => {
  it("an optional preview used without `has`, with file and line", () => {
    const text = `// Prüfung
@id("big")
forbid (principal, action == Action::"files.write", resource)
when {
  context.preview.changes > 3
};`;
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(/^mine\.cedar:5: `big`: .*`preview`.*has preview/),
    ]);
  });

  it("every fault of every file in one message", () => {
    const sources = [
      { file: "a.cedar", text: '\n@id("x") permit (principal, action == Action::"nope", resource);' },
      { file: "b.cedar", text: "// é\n\npermit (principal, action resource);" },
      { file: "c.cedar", text: "permit (principal, action, resource);" },
    ];
    const message = messageOf(() =>
      loadPolicies({ contracts, preset: "balanced", sources, unattended: ["no.such"] }),
    );
    expect(message).toContain("a.cedar:2: `x`: unrecognized action");
    expect(message).toContain("b.cedar:3: unexpected token `resource`");
    expect(message).toContain("c.cedar:1: a policy without a usable `@id");
    expect(message).toContain("unattended: no capability is called `no.such`");
  });

  it("two policies of one id, the preset's included", () => {
    const text = `@id("a") permit (principal, action, resource);
@id("a") forbid (principal, action, resource);
@id("reads-are-permitted") permit (principal, action, resource);`;
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(/^mine\.cedar:2: .*taken by mine\.cedar:1/),
      expect.stringMatching(/^mine\.cedar:3: .*taken by presets\/balanced\.cedar:\d+/),
    ]);
  });

  it("a template, an empty id, two contracts of one name, an unknown preset", () => {
    expect(faultsOf('@id("t") permit (principal == ?principal, action, resource);')[0]).toMatch(
      /:1: a template/,
    );
    expect(faultsOf("@id permit (principal, action, resource);")[0]).toMatch(/without a usable/);
    expect(messageOf(() => load("", { contracts: [write, write] }))).toContain("two capabilities are called");
    expect(messageOf(() => load("", { preset: "lax" as "balanced" }))).toContain("preset: one of balanced");
  });
});

describe("[P11] a guard without its annotations is refused", () => {
  const guard = (
    annotations: string,
    lift = 'context.evidence.discharged.contains("g")',
    effect = "forbid",
  ) => `@id("g") ${annotations} ${effect} (principal, action, resource) unless { ${lift} };`;
  const whole = '@ruling("ask") @quorum("2") @urgency("high")';

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
    ["a ruling that is not ask", guard('@ruling("maybe") @quorum("1") @urgency("high")'), /only be `"ask"`/],
    ["a ruling of later", guard('@ruling("check") @quorum("1") @urgency("high")'), /not here yet/],
    ["a group, of later", guard(`${whole} @group("owners")`), /`@group` is not here yet/],
    ["an unknown annotation", guard(`${whole} @colour("red")`), /`@colour` is not an annotation/],
    ["an empty sentence", guard(`${whole} @sentence("")`), /`@sentence/],
    ["a permit", guard(whole, undefined, "permit"), /a guard is a `forbid`/],
    ["nothing that lifts it", guard(whole, "false"), /nothing would lift it/],
    [
      "another's evidence",
      guard(whole, 'context.evidence.discharged.contains("h")'),
      /nothing would lift it/,
    ],
    [
      "evidence that is not enough",
      guard(whole, 'principal is Person && context.evidence.discharged.contains("g")'),
      /nothing would/,
    ],
    ["annotations without a ruling", guard('@quorum("1") @urgency("high")', "false"), /needs `@ruling/],
    ["a lift without a ruling", guard(""), /evidence lifts it/],
  ])("%s", (_, text, problem) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^mine\.cedar:1: `g` is a guard without its annotations/);
    expect(faults[0]).toMatch(problem);
  });

  it("a whole one is taken, its sentence made from its id unless given", () => {
    const own = '@id("big-sums-need-two")';
    const text = guard(whole).replace('@id("g")', own).replace('"g"', '"big-sums-need-two"');
    expect(load(text).guards.get("big-sums-need-two")).toEqual({
      id: "big-sums-need-two",
      ruling: "ask",
      quorum: 2,
      urgency: "high",
      sentence: "Big sums need two.",
    });
    expect(load(guard(`${whole} @sentence("Why.")`)).guards.get("g")?.sentence).toBe("Why.");
  });
});

describe("[P11] a policy that rests on input Cedar cannot type is refused", () => {
  const forbid = (condition: string, scope = 'action == Action::"billing.refund"') =>
    `@id("p") forbid (principal, ${scope}, resource) when { ${condition} };`;

  it.each([
    ["a float", "context.input.ratio > 1"],
    ["a float behind `has`", "context.input has ratio && context.input.ratio == 1"],
    ["a union behind `has`", 'context.input has note && context.input.note == "x"'],
    ["a float through a record", "{ i: context.input }.i has ratio"],
    ["a float through a condition", "(if principal is Agent then context else context).input has ratio"],
    ["a whole that hides a part", 'context.input == {payment: "p", cents: 1, customer: {country: "DE"}}'],
  ])("%s", (_, condition) => {
    expect(faultsOf(forbid(condition)).join()).toMatch(/ratio|note|billing\.refund/);
  });

  it("in every capability it reaches, unions, maps and open objects too", () => {
    const odd = [
      contract("odd.union", { input: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) }),
      contract("odd.open", { input: z.looseObject({ b: z.string() }) }),
      contract("odd.map", { input: z.object({ a: z.record(z.string(), z.string()) }) }),
    ];
    for (const one of odd) {
      const faulty = () =>
        load(forbid("context has input && context.input has a", "action"), { contracts: [one] });
      expect(messageOf(faulty)).toContain(`cannot type in \`${one.name}\``);
    }
  });

  it("and one that uses only typed input is taken", () => {
    load(
      forbid(
        'context.input.customer.country == "DE" && context.input has tags && context.input.tags.contains("x")',
      ),
    );
    load(forbid('context has input && context.input has path && context.input.path like "/etc/*"', "action"));
  });
});

describe("the version", () => {
  const a = '@id("a") permit (principal, action, resource);';
  const b = '@id("b") forbid (principal, action == Action::"files.write", resource);';

  it("is the same for the same policies in any order and file", () => {
    expect(load(`${a}\n// why\n${b}`).version).toBe(load(`${b}${a}`).version);
  });

  it("differs for another policy, contract or unattended capability", () => {
    const sets = [
      load(),
      load(a),
      load("", { unattended: ["files.write"] }),
      load("", { contracts: [write] }),
    ];
    expect(new Set(sets.map((set) => set.version)).size).toBe(4);
  });
});

function faultsOf(text: string): string[] {
  const message = messageOf(() => load(text));
  return message.split("\n  - ").slice(1);
}

function messageOf(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyLoadError);
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}
