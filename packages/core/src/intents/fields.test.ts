import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Capability, defineCapability } from "../capability/capability.ts";
import { jsonSchema } from "../capability/json-schema/json-schema.ts";
import type { Json, JsonObject } from "../json.ts";
import { understandWithGrammar } from "./grammar.ts";
import type { IntentAnswer, Understanding } from "./understanding.ts";

/** A Wednesday. */
const now = Date.UTC(2026, 10, 18, 12);

function define(input: z.ZodType): Capability {
  return defineCapability({
    name: "shop.order",
    version: 1,
    summary: "Order a thing",
    effect: "write",
    idempotency: "natural",
    input,
    output: z.null(),
    apply: async () => null,
  });
}

interface Asked {
  readonly answers?: readonly IntentAnswer[];
  readonly timeZone?: string;
}

function understand(fields: z.ZodRawShape | z.ZodType, words: string, asked: Asked = {}): Understanding {
  const input = fields instanceof z.ZodType ? fields : z.strictObject(fields);
  return understandWithGrammar({
    words,
    now,
    capabilities: [define(input)],
    timeZone: "Europe/Berlin",
    ...asked,
  });
}

/** Returns the input of the only step, or the codes of the questions with their options. */
function inputOf(fields: z.ZodRawShape | z.ZodType, words: string, asked: Asked = {}): unknown {
  const result = understand(fields, words, asked);
  if (result.kind === "plan") return (result.plan.steps[0]!.input as { $literal: Json }).$literal;
  return result.kind === "question"
    ? result.questions.map(({ code, options = [] }) => [code, ...options])
    : result;
}

const text = z.string();
const size = z.enum(["small", "large"]);

describe("the schema of a field decides which words can be its value", () => {
  it.each<[string, z.ZodRawShape, string, Json]>([
    ["a whole number", { quantity: z.int() }, "order quantity 3", { quantity: 3 }],
    ["a whole number that is not named", { quantity: z.int() }, "order 3", { quantity: 3 }],
    ["a number with a fraction", { weight: z.number() }, "order weight = 2.5", { weight: 2.5 }],
    ["a number below one", { weight: z.number() }, "order weight 0.500", { weight: 0.5 }],
    ["a number as a text", { code: text }, "order code 007", { code: "007" }],
    [
      "an amount in major units",
      { price: z.number().describe("in euros") },
      "order price €12.50",
      { price: 12.5 },
    ],
    [
      "an amount in minor units",
      { price: z.int().describe("in minor units") },
      "order for £3",
      { price: 300 },
    ],
    ["one of several words", { size }, "order a large thing", { size: "large" }],
    ["one of several words, in another case", { size }, "order size LARGE", { size: "large" }],
    [
      "an address among texts",
      { note: text, email: text },
      "order a@x.test «soon»",
      { email: "a@x.test", note: "soon" },
    ],
    [
      "an address by its description",
      { buyer: text.describe("the mail address"), note: text },
      "order a@x.test «soon»",
      { buyer: "a@x.test", note: "soon" },
    ],
    [
      "an address on the web among texts",
      { url: text, note: text },
      "order https://x.test/a «soon»",
      { url: "https://x.test/a", note: "soon" },
    ],
    [
      "an address on the web by its format",
      { link: z.url() },
      "order https://x.test/a",
      { link: "https://x.test/a" },
    ],
    ["a currency", { currency: text }, "order currency EUR", { currency: "EUR" }],
    [
      "the currency of an amount",
      { cents: z.int(), currency: text },
      "order €3",
      { cents: 300, currency: "EUR" },
    ],
    [
      "the currency in the schema's own case",
      { cents: z.int(), currency: z.enum(["eur", "usd"]) },
      "order €3",
      { cents: 300, currency: "eur" },
    ],
    [
      "a moment",
      { start: z.iso.datetime(), note: text },
      "order 2026-12-01T10:00Z «soon»".replace("10:00Z", "10:00:00Z"),
      { start: "2026-12-01T10:00:00Z", note: "soon" },
    ],
    [
      "a path among texts",
      { file: text, note: text },
      "order docs/a «soon»",
      { file: "docs/a", note: "soon" },
    ],
    ["a path in quotation marks", { file: text }, "order «docs/a»", { file: "docs/a" }],
    ["a switch that is on", { urgent: z.boolean() }, "order urgent", { urgent: true }],
    ["a switch that is off", { urgent: z.boolean() }, "order urgent no", { urgent: false }],
    ["an option that looks like a number", { model: z.enum(["1", "2"]) }, "order 2", { model: "2" }],
    [
      "an option that looks like a day",
      { day: z.enum(["2026-12-01"]) },
      "order day 2026-12-01",
      { day: "2026-12-01" },
    ],
    ["a list with one item", { names: z.array(text) }, "order «ana»", { names: ["ana"] }],
    [
      "a list of options",
      { sizes: z.array(size) },
      "order sizes small, large",
      { sizes: ["small", "large"] },
    ],
    ["a field that can be null", { quantity: z.int().nullable() }, "order 3", { quantity: 3 }],
    [
      "a field with a long name",
      { deliveryNote: text },
      "order delivery note is «soon»",
      { deliveryNote: "soon" },
    ],
    [
      "a field by its exact name",
      { deliveryNote: text, delivery: text.optional() },
      "order deliveryNote=soon",
      { deliveryNote: "soon" },
    ],
    [
      "the longest of several names",
      { price: z.int().optional(), priceLimit: z.int() },
      "order price limit 3",
      { priceLimit: 3 },
    ],
    [
      "the exact one of two names for one thing",
      { mail: text.optional(), email: text.optional() },
      "order email a@x.test",
      { email: "a@x.test" },
    ],
  ])("%s", (_what, fields, words, input) => {
    expect(inputOf(fields, words)).toEqual(input);
  });

  it.each<[string, z.ZodRawShape, string, unknown]>([
    ["half a thing", { quantity: z.int() }, "order quantity 2.5", [["value-ambiguous"]]],
    [
      "a number with two meanings",
      { weight: z.number() },
      "order weight 1.250",
      [["value-ambiguous", "1250", "1.25"]],
    ],
    ["a word that is no option", { size }, "order size «huge»", [["value-ambiguous", "small", "large"]]],
    [
      "a word beside the options",
      { size },
      "order size huge",
      [["words-unclear"], ["field-missing", "small", "large"]],
    ],
    [
      "a day for a number",
      { quantity: z.int() },
      "order quantity 2026-12-01",
      [["words-unclear"], ["field-missing"]],
    ],
    [
      "an amount for a number",
      { quantity: z.int() },
      "order quantity €3",
      [["words-unclear"], ["field-missing"]],
    ],
    ["a number for a switch", { urgent: z.boolean() }, "order 3", [["words-unclear"], ["field-missing"]]],
    [
      "a number for a value that only JSON can give",
      { item: z.object({ id: z.int() }) },
      "order item 3",
      [["words-unclear"], ["field-missing"]],
    ],
    [
      "a text for a number",
      { quantity: z.int() },
      "order quantity «three»",
      [["words-unclear"], ["field-missing"]],
    ],
    ["a text for an address", { email: text }, "order email «ana»", [["words-unclear"], ["field-missing"]]],
    [
      "a text for an address on the web",
      { url: text },
      "order url «x.test»",
      [["words-unclear"], ["field-missing"]],
    ],
    [
      "a text for a moment",
      { start: z.iso.datetime() },
      "order start «soon»",
      [["words-unclear"], ["field-missing"]],
    ],
    [
      "a text for a currency",
      { currency: text },
      "order currency «shells»",
      [["words-unclear"], ["field-missing"]],
    ],
    [
      "an unknown currency",
      { cents: z.int(), currency: z.enum(["USD", "CAD", "EUR"]) },
      "order $3",
      [["value-ambiguous", "USD", "CAD"]],
    ],
    ["a day with a time", { day: z.iso.date() }, "order 2026-12-01 at 15:00", [["value-ambiguous"]]],
    ["a moment without a time", { start: z.iso.datetime() }, "order 2026-12-01", [["value-ambiguous"]]],
    ["two values for one field", { quantity: z.int() }, "order quantity 3 quantity 4", [["value-ambiguous"]]],
    ["texts that fit several fields", { a: text, b: text }, "order «x»", [["value-ambiguous", "a", "b"]]],
    [
      "more values than can be placed",
      { names: text },
      `order ${"«x» ".repeat(7)}`,
      [["words-unclear"], ["field-missing"]],
    ],
    [
      "a value that the schema rejects",
      { quantity: z.int().max(2) },
      "order quantity 3",
      [["field-invalid"]],
    ],
    [
      "a number that is no option",
      { model: z.enum(["1", "2"]) },
      "order model 3",
      [["words-unclear"], ["field-missing", "1", "2"]],
    ],
    ["a name without a value", { note: text }, "order note", [["words-unclear"], ["field-missing"]]],
    ["a name before a comma", { note: text }, "order note, please", [["words-unclear"], ["field-missing"]]],
    ["a bare word after `is`", { note: text }, "order note is soon", [["words-unclear"], ["field-missing"]]],
    ["a missing word", { size }, "order", [["field-missing", "small", "large"]]],
  ])("%s is a question", (_what, fields, words, questions) => {
    expect(inputOf(fields, words)).toEqual(questions);
  });

  it("a moment needs a time zone, and the question says so", () => {
    const result = understand({ start: z.iso.datetime() }, "order 2026-12-01 at 15:00", {
      timeZone: "Mars/Olympus",
    });
    expect(result).toMatchObject({
      questions: [{ code: "value-ambiguous", message: expect.stringContaining("Send your time zone") }],
    });
  });

  it("a question about a missing amount shows how an amount is written", () => {
    expect(understand({ cents: z.int() }, "order")).toMatchObject({
      questions: [{ code: "field-missing", message: "How much is `cents`? Write an amount such as €12.50." }],
    });
    expect(understand({ size: size.describe("the size") }, "order")).toMatchObject({
      questions: [{ message: "What is `size`: the size (small, large)?" }],
    });
  });
});

describe("a schema from a document", () => {
  it.each<[string, JsonObject, string, unknown]>([
    ["without properties has no fields", {}, "order", {}],
    ["with a constant does not ask for it", { properties: { kind: { const: "a" }, n: true } }, "order", {}],
    [
      "with two types takes no words",
      { properties: { a: { type: ["string", "integer"] } } },
      "order a 3",
      [["words-unclear"]],
    ],
    [
      "with a type or null takes words of the type",
      { properties: { a: { type: ["integer", "null"] } } },
      "order a 3",
      { a: 3 },
    ],
    [
      "with several forms takes no words",
      { properties: { a: { oneOf: [{ type: "string" }, { type: "integer" }] } } },
      "order a 3",
      [["words-unclear"]],
    ],
    [
      "with a default that it requires nevertheless asks, because the schema fills in nothing",
      { properties: { a: { type: "string", default: "x" } }, required: ["a"] },
      "order",
      [["field-missing"]],
    ],
    [
      "whose list has no schema of its items takes no words",
      { properties: { a: { type: "array" } } },
      "order a 3",
      [["words-unclear"]],
    ],
  ])("%s", (_what, document, words, input) => {
    expect(inputOf(jsonSchema(document), words)).toEqual(input);
  });
});

describe("an answer is a value as a whole", () => {
  const answer = (field: string, value: string, step = 1): Asked => ({ answers: [{ step, field, value }] });

  it.each<[string, z.ZodRawShape, string, Json]>([
    ["yes", { urgent: z.boolean() }, " Yes ", { urgent: true }],
    ["no", { urgent: z.boolean() }, "nein", { urgent: false }],
    ["a day", { urgent: z.iso.date() }, "tomorrow", { urgent: "2026-11-19" }],
    ["a moment", { urgent: z.iso.datetime() }, "tomorrow at 3 pm", { urgent: "2026-11-19T14:00:00Z" }],
    [
      "a moment as a text",
      { urgent: z.iso.datetime() },
      "2026-12-01T10:00:00Z",
      { urgent: "2026-12-01T10:00:00Z" },
    ],
    ["an item of a list", { urgent: z.array(text) }, "ana, ben", { urgent: ["ana, ben"] }],
  ])("%s", (_what, fields, value, input) => {
    expect(inputOf(fields, "order", answer("urgent", value))).toEqual(input);
  });

  it.each<[string, z.ZodRawShape, string, unknown]>([
    ["neither yes nor no", { urgent: z.boolean() }, "perhaps", ["field-invalid"]],
    ["two numbers", { urgent: z.int() }, "3 4", ["field-invalid"]],
    ["an option that does not exist", { urgent: size }, "huge", ["field-invalid", "small", "large"]],
  ])("%s is asked again", (_what, fields, value, question) => {
    expect(inputOf(fields, "order", answer("urgent", value))).toContainEqual(question);
  });

  it("that names another step or no field fills nothing", () => {
    for (const other of [answer("quantity", "3", 2), answer("count", "3")])
      expect(inputOf({ quantity: z.int() }, "order", other)).toEqual([["field-missing"]]);
  });
});
