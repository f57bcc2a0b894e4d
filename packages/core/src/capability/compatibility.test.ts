import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../json.ts";
import { type CapabilityDefinition, defineCapability } from "./capability.ts";
import { documentIncompatibilities, incompatibilities } from "./compatibility.ts";

const released = {
  name: "billing.refund",
  version: 1,
  summary: "Refund a payment",
  effect: "write",
  idempotency: "keyed",
  input: z.strictObject({ payment: z.string(), iban: z.string().optional() }),
  output: z.object({ refund: z.string() }),
  sensitive: ["iban"],
  apply: async () => ({ refund: "r1" }),
} as const satisfies CapabilityDefinition<z.ZodType, z.ZodType>;

function reasons(change: object): readonly string[] {
  const current = { ...released, ...change } as unknown as CapabilityDefinition<z.ZodType, z.ZodType>;
  return incompatibilities(defineCapability(released).contract, defineCapability(current).contract);
}

describe("a contract may replace a released one", () => {
  it.each<[string, object]>([
    ["if nothing changed", {}],
    [
      "with another summary, timeout and retries",
      { summary: "Refund", timeout: "5s", retry: { retries: 1 } },
    ],
    ["if more fields are sensitive", { sensitive: ["iban", "payment"] }],
    [
      "if the input accepts more",
      {
        input: z.strictObject({
          payment: z.string(),
          iban: z.string().optional(),
          note: z.string().optional(),
        }),
      },
    ],
    ["if the output says more", { output: z.object({ refund: z.string(), state: z.enum(["done"]) }) }],
  ])("%s", (_what, change) => {
    expect(reasons(change)).toEqual([]);
  });
});

describe("a contract may not replace a released one", () => {
  it.each<[string, object, string]>([
    ["with a stronger effect", { effect: "destroy", risk: "medium" }, "effect was `write` and is `destroy`"],
    ["with a higher risk", { risk: "high" }, "risk was `medium` and is `high`"],
    ["if it can no longer be repeated", { idempotency: "none" }, "idempotency was `keyed` and is `none`"],
    ["without its sensitive fields", { sensitive: [] }, "`iban` is no longer sensitive"],
    [
      "without a field of the input",
      { input: z.strictObject({ payment: z.string() }), sensitive: [] },
      "input.iban was removed",
    ],
    [
      "with a field that callers do not send yet",
      { input: z.strictObject({ payment: z.string(), iban: z.string().optional(), cents: z.int() }) },
      "input.cents is now required",
    ],
    [
      "without a field that callers read",
      { output: z.object({ refund: z.string().optional() }) },
      "output.refund is no longer always present",
    ],
  ])("%s", (_what, change, reason) => {
    expect(reasons(change)).toContain(reason);
  });
});

describe("a document that the released schema accepts must stay valid", () => {
  const object = (properties: JsonObject, more: JsonObject = {}): Json => ({
    type: "object",
    properties,
    ...more,
  });
  const text = { type: "string" };
  const list = { type: "array", items: text };

  it.each<[string, Json, Json]>([
    ["a schema without limits accepts everything", list, {}],
    ["explanations are no limits", { ...text, title: "a" }, { ...text, description: "b", default: "c" }],
    ["every integer is a number", { type: "integer" }, { type: "number" }],
    ["more words", { enum: ["a"] }, { enum: ["a", "b"] }],
    ["a constant among the words", { const: "a" }, { enum: ["a", "b"] }],
    ["lower limits", { ...text, minLength: 3, maxLength: 5 }, { ...text, minLength: 2, maxLength: 6 }],
    ["no limits any more", { ...text, maxLength: 5 }, text],
    ["another form besides", text, { anyOf: [{ type: "integer" }, text] }],
    [
      "fewer of the forms that were accepted before",
      { anyOf: [text, { type: "null" }] },
      { anyOf: [{ type: "null" }, text, list] },
    ],
    ["an optional field more", object({ a: text }), object({ a: text, b: text })],
    ["a field that is no longer required", object({ a: text }, { required: ["a"] }), object({ a: text })],
    ["true stays true", true, true],
  ])("%s", (_what, before, after) => {
    expect(documentIncompatibilities(before, after)).toEqual([]);
  });

  it.each<[string, Json, Json, string]>([
    ["another type", text, { type: "integer" }, "document changed from type string to type integer"],
    ["a fraction is no integer", { type: "number" }, { type: "integer" }, "to type integer"],
    ["fewer words", { enum: ["a", "b"] }, { enum: ["a"] }, 'document no longer allows "b"'],
    ["one word instead of any", text, { ...text, const: "a" }, "document no longer allows any value"],
    ["a higher lower limit", { ...text, minLength: 1 }, { ...text, minLength: 2 }, "tighter minLength"],
    ["a lower upper limit", { ...text, maxLength: 5 }, { ...text, maxLength: 4 }, "tighter maxLength"],
    ["a limit where none was", text, { ...text, maxLength: 4 }, "document has a tighter maxLength"],
    ["a pattern, because patterns cannot be compared", text, { ...text, pattern: "^a" }, "tighter pattern"],
    ["one of two forms", { anyOf: [text, list] }, text, "document changed from type array to type string"],
    ["none of the forms", list, { anyOf: [text, { type: "null" }] }, "document accepts fewer values"],
    ["a type inside a field", object({ a: text }), object({ a: list }), "document.a changed from type"],
    ["a type inside a list", list, { ...list, items: { type: "integer" } }, "document[] changed from type"],
    ["items where any were allowed", { type: "array" }, list, "document[] changed from type"],
    ["a removed field, whose value would be lost", object({ a: text }), object({}), "document.a was removed"],
    [
      "a required field",
      object({ a: text }),
      object({ a: text }, { required: ["a"] }),
      "document.a is now required",
    ],
    ["nothing instead of anything", true, false, "document changed"],
  ])("%s is incompatible", (_what, before, after, reason) => {
    expect(documentIncompatibilities(before, after).join("\n")).toContain(reason);
  });
});
