import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Capability, defineCapability } from "../capability/capability.ts";
import type { Json } from "../json.ts";
import { understandWithGrammar } from "./grammar.ts";
import { checkProposal, type IntentProposal, redactWords } from "./proposal.ts";
import type { IntentAnswer, IntentRequest } from "./understanding.ts";

const capabilities = [
  define("billing.refund", { payment: z.string(), cents: z.int() }),
  define("files.delete", { path: z.string(), isRecursive: z.boolean().optional() }),
  define("mail.send", {
    to: z.array(z.email()),
    body: z.union([z.string(), z.record(z.string(), z.json())]),
  }),
  define("calendar.plan", { start: z.iso.datetime(), seats: z.int().nullable().optional() }),
  define("hr.leave", { day: z.iso.date() }),
];

function define(name: string, fields: z.ZodRawShape): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Act",
    effect: "write",
    idempotency: "natural",
    input: z.strictObject(fields),
    output: z.null(),
    apply: async () => null,
  });
}

/** A Wednesday. */
const now = Date.UTC(2026, 10, 18, 12);
const request = (words: string, more: Partial<IntentRequest> = {}): IntentRequest => ({
  words,
  now,
  timeZone: "Europe/Berlin",
  capabilities,
  ...more,
});
const step = (capability: string, input: Json) => ({ capability, input });
const propose = (...steps: IntentProposal["steps"][number][]): IntentProposal => ({ steps, questions: [] });

/** Returns the inputs of the plan, or the codes and options of the questions. */
function resultOf(words: string, proposal: IntentProposal, more: Partial<IntentRequest> = {}): unknown {
  const result = checkProposal(request(words, more), proposal);
  if (result?.kind === "plan")
    return result.plan.steps.map(({ input }) => (input as { $literal: Json }).$literal);
  return result?.kind === "question"
    ? result.questions.map(({ code, options = [] }) => [code, ...options])
    : result;
}

describe("[TRUST 35] a proposed value counts only if the words state it", () => {
  it.each<[string, string, string, Json]>([
    ["a word", "give pay_1 back, €3", "billing.refund", { payment: "pay_1", cents: 300 }],
    ["a number", "give pay_1 back: 300 cents", "billing.refund", { payment: "pay_1", cents: 300 }],
    ["a day", "take friday off", "hr.leave", { day: "2026-11-20" }],
    ["a moment", "meet tomorrow at 3 pm", "calendar.plan", { start: "2026-11-19T14:00:00Z" }],
    [
      "each item of a list",
      "tell a@x.test and b@x.test hello",
      "mail.send",
      { to: ["a@x.test", "b@x.test"], body: "hello" },
    ],
    [
      "a switch that they name",
      "get rid of docs/a, is recursive",
      "files.delete",
      { path: "docs/a", isRecursive: true },
    ],
    ["a word before the point of a sentence", "get rid of docs/a.", "files.delete", { path: "docs/a" }],
    ["words in another case", "get rid of DOCS", "files.delete", { path: "docs" }],
  ])("%s", (_what, words, capability, input) => {
    expect(resultOf(words, propose(step(capability, input)))).toEqual([input]);
  });

  it.each<[string, string, string, Json, string]>([
    [
      "a number with two meanings",
      "give pay_1 back: 1.250",
      "billing.refund",
      { payment: "pay_1", cents: 1250 },
      "1250",
    ],
    ["a day that could be two days", "take next friday off", "hr.leave", { day: "2026-11-20" }, "2026-11-20"],
    [
      "a time without a time zone",
      "meet 2026-12-01 at 15:00",
      "calendar.plan",
      { start: "2026-12-01T14:00:00Z" },
      "2026-12-01T14:00:00Z",
    ],
    [
      "a time that a clock change repeats",
      "meet 2027-10-31 at 02:30",
      "calendar.plan",
      { start: "2027-10-31T00:30:00Z" },
      "2027-10-31T00:30:00Z",
    ],
    [
      "a switch that they do not name",
      "get rid of docs/a",
      "files.delete",
      { path: "docs/a", isRecursive: true },
      "true",
    ],
    [
      "a switch that is off",
      "get rid of docs/a, is recursive",
      "files.delete",
      { path: "docs/a", isRecursive: false },
      "false",
    ],
    ["a part of a path", "get rid of docs/a.md", "files.delete", { path: "a.md" }, "a.md"],
    ["the beginning of a path", "get rid of a.md", "files.delete", { path: "a" }, "a"],
    ["a hidden folder without its point", "get rid of .env", "files.delete", { path: "env" }, "env"],
    ["nothing", "get rid of docs", "files.delete", { path: "" }, ""],
    [
      "null",
      "meet 2026-12-01 at 3 pm",
      "calendar.plan",
      { start: "2026-12-01T14:00:00Z", seats: null },
      "null",
    ],
    [
      "one item of a list",
      "tell a@x.test hello",
      "mail.send",
      { to: ["a@x.test", "b@x.test"], body: "hello" },
      "b@x.test",
    ],
    [
      "a value inside an object",
      "tell a@x.test hello",
      "mail.send",
      { to: ["a@x.test"], body: { text: "bye" } },
      "bye",
    ],
    [
      "a part of a quotation",
      'tell a@x.test "hello you"',
      "mail.send",
      { to: ["a@x.test"], body: "hello" },
      "hello",
    ],
  ])("%s becomes a question with the proposed value", (what, words, capability, input, option) => {
    const timeZone = what === "a time without a time zone" ? undefined : "Europe/Berlin";
    expect(resultOf(words, propose(step(capability, input)), { timeZone })).toEqual([
      ["value-ungrounded", option],
    ]);
  });

  it("a long value is shortened in the question", () => {
    const path = "a".repeat(500);
    expect(resultOf("get rid of it", propose(step("files.delete", { path })))).toEqual([
      ["value-ungrounded", "a".repeat(200)],
    ]);
  });

  it("a placeholder stands for the whole quotation, at any depth of the input", () => {
    const words = 'tell a@x.test "one" and "two"';
    const body = { texts: ["[[quote 1]]", "[[quote 2]]"], note: { first: "[[quote 1]]" } };
    expect(resultOf(words, propose(step("mail.send", { to: ["a@x.test"], body })))).toEqual([
      { to: ["a@x.test"], body: { texts: ["one", "two"], note: { first: "one" } } },
    ]);
  });

  it("a placeholder without its quotation is a value that the words do not state", () => {
    const steps = propose(step("files.delete", { path: "[[quote 2]]" }));
    expect(resultOf('get rid of "one"', steps)).toEqual([["value-ungrounded", "[[quote 2]]"]]);
  });

  it("words that are rejected ground nothing", () => {
    expect(resultOf('get rid of "docs', propose(step("files.delete", { path: "docs" })))).toEqual([
      ["value-ungrounded", "docs"],
    ]);
  });

  it("an answer of the requester replaces the proposed value", () => {
    const answers: IntentAnswer[] = [{ step: 1, field: "path", value: "docs/b" }];
    expect(resultOf("get rid of it", propose(step("files.delete", { path: "docs/a" })), { answers })).toEqual(
      [{ path: "docs/b" }],
    );
    const odd: IntentAnswer[] = [{ step: 1, field: "cents", value: "much" }];
    expect(
      resultOf("give pay_1 back, €3", propose(step("billing.refund", { payment: "pay_1", cents: 300 })), {
        answers: odd,
      }),
    ).toEqual([["field-invalid"]]);
  });
});

describe("[TRUST 35] a plan uses everything that the words state", () => {
  it.each<[string, string]>([
    ["a day", "get rid of docs/a on 2026-12-01"],
    ["an amount", "get rid of docs/a below €5"],
    ["a number", "get rid of docs/a after 7"],
    ["a quotation", 'get rid of docs/a as soon as "done" appears'],
    ["a path", "get rid of docs/a as soon as docs/b is there"],
  ])("%s without a use becomes a question", (_what, words) => {
    expect(resultOf(words, propose(step("files.delete", { path: "docs/a" })))).toEqual([["words-unclear"]]);
  });

  it("the name of a capability is used by its step", () => {
    expect(resultOf("files.delete docs/a", propose(step("files.delete", { path: "docs/a" })))).toEqual([
      { path: "docs/a" },
    ]);
  });
});

describe("a proposal that is no plan", () => {
  it("returns the model's questions, shortened", () => {
    const questions = [
      { step: 1, field: "cents", message: "x".repeat(600) },
      { step: 7, field: "", message: "What do you mean?" },
    ];
    const steps = [step("billing.refund", { payment: "pay_1" })];
    expect(checkProposal(request("give pay_1 back"), { steps, questions })).toEqual({
      kind: "question",
      questions: [
        {
          code: "field-missing",
          step: 1,
          capability: "billing.refund",
          field: "cents",
          message: "x".repeat(500),
        },
        { code: "words-unclear", step: 7, message: "What do you mean?" },
      ],
    });
  });

  it("is nothing if it has no steps", () => {
    expect(checkProposal(request("give pay_1 back"), propose())).toBeUndefined();
  });

  it.each<[string, IntentProposal["steps"][number]]>([
    ["an unknown capability", step("billing.steal", {})],
    ["an input that is no object", step("billing.refund", ["pay_1"])],
  ])("asks for the capability if it has %s", (_what, one) => {
    expect(resultOf("give pay_1 back", propose(one))).toEqual([["capability-unclear"]]);
  });

  it("asks for values that the capability's schema does not accept", () => {
    const steps = propose(step("files.delete", { path: "docs/a", folder: "docs/a" }));
    expect(resultOf("get rid of docs/a", steps)).toEqual([["field-invalid"]]);
  });
});

describe("[TRUST 35] the words that a model may read", () => {
  const redact = (words: string) => redactWords(words, understandWithGrammar(request(words)));

  it("have a placeholder for each quotation, and no forwarded text", () => {
    expect(redact('let a@x.test know "one" and «two»\n> delete docs/a')).toBe(
      "let a@x.test know [[quote 1]] and [[quote 2]]",
    );
  });

  it.each<[string, string]>([
    ["negate something", "don't get rid of docs/a"],
    ["condition something in another sentence", "get rid of docs/a. falls ana es will."],
    ["hold a condition inside another word", "get rid of docs/if.md"],
    ["are rejected", 'get rid of "docs/a'],
    ["are already a plan", "files.delete docs/a"],
    ["have a value that only the requester can settle", "hr.leave next friday"],
  ])("are none if they %s", (_what, words) => {
    expect(redact(words)).toBeUndefined();
  });

  it("are none if the words behind them are rejected, whatever the grammar says of other words", () => {
    expect(
      redactWords('get rid of "docs/a', understandWithGrammar(request("get rid of it"))),
    ).toBeUndefined();
  });
});
