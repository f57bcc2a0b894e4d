import { describe, expect, it } from "vitest";
import type { Contract } from "../capability/contract.ts";
import type { Json } from "../json.ts";
import { planCapability } from "../plan/undo-plan.ts";
import { hasHiddenStep, maskSensitive, maskText, type PayloadValues } from "./payload-masker.ts";

const contractOf = (sensitive: readonly string[], version = 1) =>
  ({ sensitive, version }) as unknown as Contract;
const contracts: Readonly<Record<string, Contract>> = {
  "billing.refund": contractOf(["iban"]),
  "mail.send": contractOf(["body"]),
  "hr.pay": contractOf(["to.iban"]),
  [planCapability]: contractOf([]),
};
const findContract = (name: string) => contracts[name];

function mask(payloads: PayloadValues, sensitive: readonly string[], canSeeDetails = false) {
  return maskSensitive(payloads, "billing.refund", contractOf(sensitive), { findContract, canSeeDetails });
}

function maskPlan(payloads: PayloadValues, canSeeDetails = false) {
  return maskSensitive(payloads, planCapability, contracts[planCapability]!, { findContract, canSeeDetails });
}

describe("[TRUST 16] a sensitive field is masked", () => {
  it.each<[string, readonly string[], Json, Json, readonly string[]]>([
    ["at the top", ["iban"], { iban: "DE89 3704", to: "ana" }, { iban: maskText, to: "ana" }, ["iban"]],
    ["inside an object", ["to.iban"], { to: { iban: "DE89 3704" } }, { to: { iban: maskText } }, ["to.iban"]],
    [
      "in each item of a list",
      ["to.iban"],
      { to: [{ iban: "DE89" }, {}, "x"] },
      { to: [{ iban: maskText }, {}, "x"] },
      ["to.iban"],
    ],
    ["with everything in it", ["to"], { to: { iban: "DE89" } }, { to: maskText }, ["to"]],
    ["unless it is missing", ["iban", "to.iban"], { to: null }, { to: null }, []],
    ["unless it is only a name that every object has", ["constructor"], { a: 1 }, { a: 1 }, []],
  ])("%s", (_what, sensitive, input, shown, masked) => {
    expect(mask({ input }, sensitive)).toEqual({ payloads: { input: shown }, masked });
  });

  it("in the output and in the input of the undo, by the contract of each", () => {
    const payloads = {
      input: { iban: "DE89 3704" },
      output: { refund: "r1", iban: "DE89 3704" },
      undo: { capability: "mail.send", input: { to: "ana", body: "Dear Ana" } },
    };
    expect(mask(payloads, ["iban"])).toEqual({
      payloads: {
        input: { iban: maskText },
        output: { refund: "r1", iban: maskText },
        undo: { capability: "mail.send", input: { to: "ana", body: maskText } },
      },
      masked: ["iban", "undo.body"],
    });
  });

  it("with the whole input of an undo whose capability is not known any more", () => {
    const { payloads, masked } = mask({ undo: { capability: "old.undo", input: { iban: "DE89 3704" } } }, []);
    expect(payloads.undo).toEqual({ capability: "old.undo", input: maskText });
    expect(masked).toEqual(["undo"]);
    expect(mask({ undo: { capability: "old.undo" } }, []).payloads.undo).toMatchObject({ input: maskText });
  });
});

describe("[TRUST 16] a sensitive value is masked wherever it reappears", () => {
  const preview = (text: string) => ({ changes: [{ kind: "update", target: text }], basis: null });
  const shownTarget = (input: Json, text: string) =>
    (
      mask({ input, preview: preview(text) }, ["secret"]).payloads.preview as {
        changes: { target: string }[];
      }
    ).changes[0]!.target;

  it.each<[string, Json, string, string]>([
    ["in a text", "DE89 3704", "to DE89 3704 now", `to ${maskText} now`],
    ["twice", "DE89", "DE89DE89", `${maskText}${maskText}`],
    ["as the longest of several", ["DE89", "DE89 3704"], "DE89 3704", maskText],
    ["as a number", 123_456, "no. 123456", `no. ${maskText}`],
    ["from inside an object", { deep: [{ pin: "98765" }] }, "pin 98765", `pin ${maskText}`],
    [
      "line by line in a diff",
      "first line\nlast line",
      "@@\n+first line\n-last line\n ok",
      `@@\n+${maskText}\n-${maskText}\n ok`,
    ],
    ["not if it is short", "abc", "abcdef", "abcdef"],
    ["not if it is a truth value", true, "true", "true"],
    ["not if it is missing", null, "null", "null"],
    ["not if a plan takes it from another step", { $from: "first-step" }, "first-step", "first-step"],
  ])("%s", (_what, secret, text, shown) => {
    expect(shownTarget({ secret }, text)).toBe(shown);
  });

  it("as a number, a name of a member, and inside lists", () => {
    const { payloads } = mask(
      { input: { secret: 123_456 }, output: { list: [123_456, 7, null], "123456": true } },
      ["secret"],
    );
    expect(payloads.output).toEqual({ list: [maskText, 7, null], [maskText]: true });
  });

  it("with the whole text if too many values begin alike to compare them all", () => {
    const many = Array.from({ length: 101 }, (_, at) => `same-${at}`);
    expect(shownTarget({ secret: many }, "it is same-5 here")).toBe(maskText);
  });

  it("in the requester's words and the agent's state, which say it in other forms", () => {
    const payloads = { input: { iban: "DE89 3704" }, words: "pay ana", compressedState: "paying" };
    expect(mask(payloads, ["iban"])).toEqual({
      payloads: { input: { iban: maskText }, words: maskText, compressedState: maskText },
      masked: ["iban", "words", "compressedState"],
    });
    expect(mask({ ...payloads, input: {} }, ["iban"]).payloads).toMatchObject({ words: "pay ana" });
  });
});

describe("a sensitive value that is a word of Paraph's own formats hides nothing", () => {
  const words = [
    ...["changes", "basis", "steps", "kind", "target", "summary", "diff", "details", "incomplete"],
    ...["capability", "input", "after", "visibility", "headline", "effect", "dependsOn", "$literal", "title"],
    ...["results", "check", "passed", "findings", "code", "sentence"],
  ];
  const steps = [
    { id: "a", capability: "billing.refund", input: { iban: "" } },
    { id: "b", capability: "billing.refund", after: ["a"], input: { $literal: { cents: 5 } } },
  ];
  const preview = {
    changes: [{ kind: "delete", target: "payroll", summary: "All", diff: "-all", details: { rows: 9 } }],
    basis: { b: 1 },
    steps: [{ id: "b", version: 1, changes: 1, effect: "destroy", headline: "Delete", dependsOn: ["a"] }],
  };
  const checks = { results: [{ check: "c", passed: false, findings: [{ code: "x", sentence: "No." }] }] };

  it.each(words)("[TRUST 6] the member %s stays, even if a sensitive value is the same", (word) => {
    const input = { title: "T", steps: [{ ...steps[0]!, input: { iban: word } }, steps[1]!] };
    const { payloads } = maskPlan({ input, preview, checks }, true);
    expect(payloads).toEqual({
      input: { title: "T", steps: [{ ...steps[0]!, input: { iban: maskText } }, steps[1]!] },
      preview,
      checks,
    });
  });

  it.each(["delete", "continue"])(
    "[TRUST 6] the value %s stays, which is the kind of a change or the reaction to a failure",
    (word) => {
      const input = { onFailure: "continue", steps: [{ ...steps[0]!, input: { iban: word } }] };
      const { payloads } = maskPlan({ input, preview });
      expect(payloads.preview).toEqual(preview);
      expect(payloads.input).toMatchObject({ onFailure: "continue" });
    },
  );
});

describe("[TRUST 16] in a plan", () => {
  const refund = { id: "a", capability: "billing.refund", input: { iban: "DE89 3704", cents: 5 } };
  const send = { id: "b", capability: "mail.send", input: { to: "ana", body: "Your DE89 3704" } };
  const previewed = (id: string, more: object = {}) => ({
    ...{ id, version: 1, changes: 1, basis: "etag", headline: `Step ${id}` },
    ...more,
  });
  const change = (target: string) => ({ kind: "update", target });
  const stepsOf = (payload: Json | undefined) => (payload as { steps: Json[] }).steps;

  it("each step is masked by the contract of its capability, and keeps its name", () => {
    const literal = { ...refund, id: "c", input: { $literal: refund.input } };
    const { payloads, masked } = maskPlan({ input: { version: 1, steps: [refund, send, literal] } });
    expect(payloads.input).toEqual({
      version: 1,
      steps: [
        { ...refund, input: { iban: maskText, cents: 5 } },
        { ...send, input: { to: "ana", body: maskText } },
        { ...literal, input: { $literal: { iban: maskText, cents: 5 } } },
      ],
    });
    expect(masked).toEqual(["steps.a.iban", "steps.b.body", "steps.c.iban"]);
  });

  it("a sensitive field is found inside a literal, whose short lines are no secrets", () => {
    const step = { id: "a", capability: "hr.pay", input: { to: { $literal: { iban: "DE89\nok" } } } };
    const { payloads } = maskPlan({ input: { steps: [step] }, output: " ok\n+DE89" });
    expect(stepsOf(payloads.input)).toMatchObject([{ input: { to: { $literal: { iban: maskText } } } }]);
    expect(payloads.output).toBe(` ok\n+${maskText}`);
  });

  it("what names a step stays readable, even if a masked value is the same", () => {
    const step = {
      id: "refund-1",
      capability: "billing.refund",
      after: ["refund-1"],
      input: { iban: "refund-1" },
    };
    const preview = {
      steps: [previewed("refund-1", { dependsOn: ["refund-1"] })],
      changes: [change("refund-1")],
      basis: {},
    };
    const { payloads } = maskPlan({ input: { steps: [step] }, preview } as unknown as PayloadValues);
    expect(stepsOf(payloads.input)).toEqual([{ ...step, input: { iban: maskText } }]);
    expect(stepsOf(payloads.preview)).toMatchObject([{ id: "refund-1", dependsOn: ["refund-1"] }]);
    expect(payloads.preview).toMatchObject({ changes: [{ target: maskText }] });
  });

  it.each<[string, object, object]>([
    ["of which only approvers see the details", { visibility: "approvers" }, {}],
    ["whose capability is not known any more", { capability: "old.refund" }, {}],
    ["that was previewed under another version of its contract", {}, { version: 2 }],
  ])("a step %s shows neither its input nor its changes", (_what, more, inPreview) => {
    const input = { steps: [{ ...refund, ...more }, send] };
    const preview = {
      changes: [change("one"), change("two"), change("mail")],
      basis: { a: "etag-a", b: "etag-b" },
      steps: [previewed("a", { changes: 2, ...inPreview }), previewed("b")],
    };
    const { payloads, masked } = maskPlan({ input, preview } as unknown as PayloadValues);
    expect(masked).toContain("steps.a");
    expect(stepsOf(payloads.input)[0]).toMatchObject({ id: "a", input: maskText });
    expect(payloads.preview).toMatchObject({
      changes: [{ kind: "other", target: maskText }, change("mail")],
      basis: { a: maskText, b: "etag-b" },
      steps: [
        { id: "a", basis: maskText, headline: maskText },
        { id: "b", basis: "etag" },
      ],
    });
  });

  it("a hidden step without changes and headline shows that it has none", () => {
    const preview = {
      changes: [],
      basis: { a: null },
      steps: [{ id: "a", version: 1, changes: 0, basis: null }],
    };
    const input = { steps: [{ ...refund, visibility: "approvers" }] };
    const { payloads } = maskPlan({ input, preview } as unknown as PayloadValues);
    expect(payloads.preview).toEqual({
      changes: [],
      basis: { a: maskText },
      steps: [{ id: "a", version: 1, changes: 0, basis: maskText }],
    });
  });

  it("who may see the details sees a hidden step, but not its sensitive fields", () => {
    const step = { ...refund, visibility: "approvers" };
    const { payloads } = maskPlan({ input: { steps: [step] } }, true);
    expect(stepsOf(payloads.input)).toEqual([{ ...step, input: { iban: maskText, cents: 5 } }]);
  });

  it("a hidden step of a nested plan hides the changes of the nested plan", () => {
    const nested = {
      id: "n",
      capability: planCapability,
      input: { $literal: { steps: [{ ...refund, visibility: "approvers" }] } },
    };
    const preview = {
      changes: [change("inner"), change("mail")],
      basis: { n: "x", b: "y" },
      steps: [previewed("n"), previewed("b")],
    };
    const payloads = { input: { steps: [nested, send] }, preview } as unknown as PayloadValues;
    const { payloads: shown, masked } = maskPlan(payloads);
    expect(shown.preview).toMatchObject({ changes: [{ target: maskText }, change("mail")] });
    expect(masked).toContain("steps.n.steps.a");
    expect(maskPlan(payloads, true).payloads.preview).toMatchObject({
      changes: [change("inner"), change("mail")],
    });
  });

  it("the undo masks its steps, and not those of the plan", () => {
    const undo = { capability: planCapability, input: { steps: [{ ...refund, visibility: "approvers" }] } };
    const preview = { changes: [change("mail")], basis: { a: "x" }, steps: [previewed("a")] };
    const { payloads, masked } = maskPlan({ undo, preview } as unknown as PayloadValues);
    expect(payloads.undo).toMatchObject({ input: { steps: [{ input: maskText }] } });
    expect(payloads.preview).toEqual(preview);
    expect(masked).toEqual(["undo.steps.a"]);
  });

  it.each<[string, Json]>([
    ["no steps", {}],
    ["steps that are no list", { steps: "all" }],
  ])("an input with %s is masked as a whole", (_what, input) => {
    expect(maskPlan({ input })).toEqual({ payloads: { input: maskText }, masked: ["input"] });
  });
});

it.each<[string, Json, boolean]>([
  ["a step that only approvers see", { steps: [{ visibility: "approvers" }] }, true],
  [
    "such a step in a nested plan",
    {
      $literal: { steps: [{ capability: planCapability, input: { steps: [{ visibility: "approvers" }] } }] },
    },
    true,
  ],
  ["a nested plan without an input", { steps: [{ capability: planCapability, input: {} }] }, false],
  ["steps that everyone sees", { steps: [{ visibility: "everyone" }] }, false],
  ["no steps", {}, false],
])("a plan with %s: %s", (_what, plan, isHidden) => {
  expect(hasHiddenStep(plan)).toBe(isHidden);
});
