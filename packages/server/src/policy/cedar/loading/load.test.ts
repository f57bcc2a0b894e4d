import type { Contract, Json, Question } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assemblePolicyDocument, loadPolicies, PolicyLoadError } from "../index.ts";
import {
  anna,
  captureLoadMessage,
  createContract,
  listLoadFaults,
  loadTestPolicies,
  sampleContracts,
  writeContract,
} from "../testing/sample-contracts.ts";

describe("[P11] a policy set with a fault is not loaded", () => {
  it("the error names an optional preview used without `has`, with file and line", () => {
    const text = `// Prüfung
@id("big")
forbid (principal, action == Action::"files.write", resource)
when {
  context.preview.changes > 3
};`;
    expect(listLoadFaults(text)).toEqual([
      expect.stringMatching(/^mine\.cedar:5: `big`: .*`preview`.*has preview/),
    ]);
  });

  it("one error names every fault of every file", () => {
    const sources = [
      { file: "a.cedar", text: '\n@id("x") permit (principal, action == Action::"nope", resource);' },
      { file: "b.cedar", text: "// é\n\npermit (principal, action resource);" },
      { file: "c.cedar", text: "permit (principal, action, resource);" },
    ];
    const message = captureLoadMessage(() =>
      loadPolicies(assemblePolicyDocument({ sources, unattended: ["no.such"] }), sampleContracts),
    );
    expect(message).toContain("a.cedar:2: `x`: unrecognized action");
    expect(message).toContain("b.cedar:3: unexpected token `resource`");
    expect(message).toContain("c.cedar:1: the policy has no valid `@id");
    expect(message).toContain("unattended: no capability is called `no.such`");
  });

  it("the error names two policies with one id, also if one of them is in the preset", () => {
    const text = `@id("a") permit (principal, action, resource);
@id("a") forbid (principal, action, resource);
@id("reads-are-permitted") permit (principal, action, resource);`;
    expect(listLoadFaults(text)).toEqual([
      expect.stringMatching(/^mine\.cedar:2: .*already used in mine\.cedar:1/),
      expect.stringMatching(/^mine\.cedar:3: .*already used in presets\/balanced\.cedar:\d+/),
    ]);
  });

  it("the error names a template, an empty id, two contracts with one name, and an unknown preset", () => {
    expect(listLoadFaults('@id("t") permit (principal == ?principal, action, resource);')[0]).toMatch(
      /:1: templates are not supported/,
    );
    expect(listLoadFaults("@id permit (principal, action, resource);")[0]).toMatch(/has no valid/);
    expect(
      captureLoadMessage(() => loadTestPolicies("", { contracts: [writeContract, writeContract] })),
    ).toContain("two capabilities are called");
    expect(captureLoadMessage(() => loadTestPolicies("", { preset: "lax" as "balanced" }))).toContain(
      "preset: one of permissive, balanced",
    );
  });
});

describe("[TRUST 24] a policy that is too large for Cedar's parser", () => {
  const policy = (condition: string) =>
    `@id("big")\nforbid (principal, action, resource)\nwhen { ${condition} };`;
  const nest = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  /** Conditions by the number of their levels. Past some hundred levels, each makes Cedar fail for good. */
  const conditions: readonly (readonly [name: string, write: (levels: number) => string])[] = [
    ["parentheses", (levels) => `${"(".repeat(levels)}true${")".repeat(levels)}`],
    ["sets", (levels) => `${nest("[", "]", levels)} == []`],
    ["records", (levels) => `${"{a: ".repeat(levels)}1${"}".repeat(levels)} == 1`],
    ["calls", (levels) => `context${".contains(context".repeat(levels)}${")".repeat(levels)}`],
    ["conditions", (levels) => `${"if true then ".repeat(levels)}true${" else true".repeat(levels)}`],
    ["conditions after `else`", (levels) => `${"if true then true else ".repeat(levels)}true`],
    ["conjunctions", (levels) => Array(levels).fill("true").join(" && ")],
    ["sums", (levels) => `${Array(levels).fill("1").join(" + ")} == 1`],
    ["attributes", (levels) => `context${".a".repeat(levels)} == 1`],
    ["indexes", (levels) => `context${'["a"]'.repeat(levels)} == 1`],
  ];

  it.each(conditions)("is refused with its line: %s", (_name, write) => {
    expect(listLoadFaults(policy(write(20_000)))).toEqual([
      expect.stringMatching(
        /^mine\.cedar:3: (more than 50 brackets|the policy has more than 100 `if`|the policy has more than 1000 operators)/,
      ),
    ]);
  });

  it("is refused before the size at which Cedar fails, and Cedar still loads other policies", () => {
    const load = (condition: string) => () => loadTestPolicies(policy(condition));
    for (const levels of [45, 95, 990])
      for (const [name, write] of conditions) {
        // A text that the limits let pass loads, or has faults of its types. Cedar never runs out of stack.
        try {
          load(write(levels))();
        } catch (error) {
          expect(error, `${name} with ${levels} levels`).toBeInstanceOf(PolicyLoadError);
        }
        expect(load("true"), `after ${name} with ${levels} levels`).not.toThrow();
      }
  });

  it("does not include a policy with long texts, comments or a large set", () => {
    const addresses = Array.from({ length: 2_000 }, (_, at) => `"a(((${at}@b.example"`).join(", ");
    const text = `// ${"(".repeat(100)}\n${policy(`[${addresses}].contains("${"[".repeat(100)}")`)}`;
    expect(() => loadTestPolicies(text)).not.toThrow();
  });
});

describe("[P11] a policy that depends on input that Cedar cannot type is refused", () => {
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
    expect(listLoadFaults(forbid(condition)).join()).toMatch(/ratio|note|billing\.refund/);
  });

  it("in every capability that it covers, also for unions, maps and open objects", () => {
    const odd = [
      createContract("odd.union", {
        input: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      }),
      createContract("odd.open", { input: z.looseObject({ b: z.string() }) }),
      createContract("odd.map", { input: z.object({ a: z.record(z.string(), z.string()) }) }),
    ];
    for (const one of odd) {
      const faulty = () =>
        loadTestPolicies(forbid("context has input && context.input has a", "action"), { contracts: [one] });
      expect(captureLoadMessage(faulty)).toContain(`cannot type in \`${one.name}\``);
    }
  });

  it("a policy that uses only typed input is accepted", () => {
    loadTestPolicies(
      forbid(
        'context.input.customer.country == "DE" && context.input has tags && context.input.tags.contains("x")',
      ),
    );
    loadTestPolicies(
      forbid('context has input && context.input has path && context.input.path like "/etc/*"', "action"),
    );
  });
});

describe("the version", () => {
  const a = '@id("a") permit (principal, action, resource);';
  const b = '@id("b") forbid (principal, action == Action::"files.write", resource);';

  it("is the same for the same policies in any order and file", () => {
    expect(loadTestPolicies(`${a}\n// why\n${b}`).version).toBe(loadTestPolicies(`${b}${a}`).version);
  });

  it("differs for another policy, preset, unattended capability or level of checks", () => {
    const sets = [
      loadTestPolicies(),
      loadTestPolicies(a),
      loadTestPolicies("", { unattended: ["files.write"] }),
      loadTestPolicies("", { preset: "strict" }),
      loadTestPolicies("", { checkLevels: { basic: ["check.secrets"] } }),
    ];
    expect(new Set(sets.map((set) => set.version)).size).toBe(5);
  });

  it("is the same in processes that know different capabilities", () => {
    expect(loadTestPolicies(b, { contracts: [writeContract] }).version).toBe(loadTestPolicies(b).version);
  });

  it("can be the same for two sets, and each set evaluates with its own contracts", () => {
    const other = createContract("files.write", { input: z.object({ path: z.string(), mode: z.int() }) });
    const reading = b.replace(";", ' when { context.input.path == "b" };');
    const [narrow, wide] = [loadTestPolicies(reading), loadTestPolicies(reading, { contracts: [other] })];
    expect(narrow.version).toBe(wide.version);
    for (const _ of [1, 2]) {
      expect(narrow.evaluate(createQuestion(writeContract, { path: "a" })).errors).toEqual([]);
      expect(wide.evaluate(createQuestion(other, { path: "a", mode: 1 })).errors).toEqual([]);
      expect(wide.evaluate(createQuestion(other, { path: "a" })).errors).toEqual([
        "input-missing:input.mode",
      ]);
    }
  });
});

describe("a policy document", () => {
  it("loads as the same set after it is read back from storage", () => {
    const document = assemblePolicyDocument({
      preset: "strict",
      sources: [{ file: "a.cedar", text: '@id("a") forbid (principal, action, resource);' }],
      unattended: ["files.write", "files.write"],
    });
    const stored = JSON.parse(JSON.stringify(document));
    expect(stored).toEqual(document);
    expect(loadPolicies(stored, sampleContracts).version).toBe(
      loadPolicies(document, sampleContracts).version,
    );
  });

  it("keeps the preset's text, so a later version of the preset does not change a stored set", () => {
    const document = assemblePolicyDocument();
    const older = {
      ...document,
      preset: {
        name: "balanced",
        text: `${document.preset.text}
@id("older") forbid (principal, action, resource);`,
      },
    } as const;
    expect(
      loadPolicies(older, sampleContracts).evaluate(createQuestion(writeContract, { path: "a" })).policies,
    ).toContain("older");
  });
});

function createQuestion(asked: Contract, input: Json): Question {
  return { principal: anna, contract: asked, input, preview: undefined, discharged: [] };
}
