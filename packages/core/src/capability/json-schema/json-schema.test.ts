import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../../json.ts";
import { defineCapability } from "../capability.ts";
import { jsonSchema } from "./json-schema.ts";

const sound = {
  name: "shop.order",
  version: 1,
  summary: "Order",
  effect: "write",
  idempotency: "none",
  output: z.object({}),
  apply: async () => ({}),
} as const;

describe("a capability with a JSON Schema document", () => {
  const document = {
    type: "object",
    properties: {
      kind: { $ref: "#/$defs/kind" },
      count: { type: "integer", default: 1, "x-note": "kept" },
      secret: { type: "string", format: "password" },
    },
    required: ["kind"],
    $defs: { kind: { enum: ["a", "b"] } },
  };

  it("has the document in its contract, which later changes of the original do not affect", () => {
    const original = structuredClone(document);
    const capability = defineCapability({ ...sound, input: jsonSchema(original), sensitive: ["secret"] });
    original.properties.count.default = 99;
    expect(capability.contract.input).toEqual(document);
    expect(capability.contract.sensitive).toEqual(["secret"]);
  });

  it("[P1] leaves the input unchanged, without added defaults or lost keys", () => {
    const { parseInput } = defineCapability({ ...sound, input: jsonSchema(document) });
    const raw = { kind: "a", other: [1, { deep: null }] };
    expect(parseInput(raw)).toEqual({ kind: "valid", value: raw });
    const odd = JSON.parse('{"kind":"a","__proto__":{"x":1}}');
    expect(JSON.stringify((parseInput(odd) as { value: Json }).value)).toBe(JSON.stringify(odd));
  });

  it("finds sensitive fields inside `allOf`, `anyOf` and `items`, and rejects one that does not exist", () => {
    const user = {
      allOf: [{ properties: { password: {} } }, { items: { anyOf: [{ properties: { pin: {} } }] } }],
    };
    const input = jsonSchema({ properties: { user } });
    const of = (sensitive: string[]) => defineCapability({ ...sound, input, sensitive }).contract.sensitive;
    expect(of(["user.password", "user.pin"])).toHaveLength(2);
    expect(() => of(["user.pim"])).toThrow(/`user.pim` is in neither input nor output/);
  });

  it("[P10] reports faults with the path and the rule, never the value", () => {
    const { parseInput } = defineCapability({ ...sound, input: jsonSchema(document) });
    expect(parseInput({ kind: "hunter2", count: "hunter2" })).toEqual({
      kind: "invalid",
      faults: ["kind: is not one of the allowed values", "count: has to be of type integer"],
    });
    expect(parseInput({})).toEqual({ kind: "invalid", faults: ["kind: is missing"] });
    expect(parseInput("hunter2")).toEqual({
      kind: "invalid",
      faults: ["(the whole): has to be of type object"],
    });
  });
});

it.each<[string, JsonObject, readonly Json[], readonly Json[]]>([
  ["type", { type: ["string", "null"] }, ["a", null], [1, {}, []]],
  ["boolean", { type: "boolean" }, [true, false], ["true", 1, null]],
  ["integer", { type: "integer" }, [1, 1.0, -3], [1.5, "1"]],
  ["const", { const: { a: [1, 2], b: 0 } }, [{ b: 0, a: [1, 2] }], [{ a: [2, 1], b: 0 }, null]],
  ["bounds", { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, "any"], [0.9, 3]],
  ["exclusive lower bound", { exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [1, 3.1]],
  ["multipleOf", { multipleOf: 0.1 }, [0.3, 1.1, 7], [0.35]],
  ["length in characters", { minLength: 2, maxLength: 3 }, ["äb", "😀😀😀", 7], ["😀", "abcd"]],
  ["pattern", { pattern: "^\\d{2}/[A-Z]" }, ["12/Ab"], ["x12/A", "12/a"]],
  ["format", { format: "date-time" }, ["2026-01-02T03:04:05Z", 7], ["2026-01-02", "soon"]],
  ["format email", { format: "email" }, ["a@b.example"], ["a@", "a b@c.example"]],
  ["format int32", { format: "int32" }, [2147483647, "x"], [2147483648]],
  ["format int64", { format: "int64" }, [2 ** 40, "x"], [1.5]],
  ["format time", { format: "time" }, ["23:59:59Z", "01:02:03.5+02:00"], ["24:00:00Z", "01:02:03"]],
  ["format uri", { format: "uri" }, ["https://a.test/b", "urn:x"], ["a/b", "https://a b"]],
  ["format uri-reference", { format: "uri-reference" }, ["a/b", "#c"], ["a b", "<a>"]],
  ["unknown format", { format: "colour" }, ["anything"], []],
  [
    "properties, patterns and the rest",
    { properties: { a: { type: "string" } }, patternProperties: { "^x-": {} }, additionalProperties: false },
    [{ a: "1", "x-y": 1 }, []],
    [{ a: 1 }, { b: 1 }, JSON.parse('{"__proto__":1}')],
  ],
  ["a schema for the rest", { additionalProperties: { type: "number" } }, [{ a: 1 }], [{ a: "1" }]],
  ["propertyNames", { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  ["minProperties", { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  ["at least one key", { minProperties: 1 }, [{ a: 1 }, "any"], [{}]],
  ["at most one key", { maxProperties: 1 }, [{}, { a: 1 }], [{ a: 1, b: 1 }]],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  ["dependencies", { dependencies: { a: { required: ["b"] }, c: ["d"] } }, [{ b: 1 }], [{ a: 1 }, { c: 1 }]],
  ["minItems", { minItems: 1 }, [[1], "any"], [[]]],
  ["maxItems", { maxItems: 1 }, [[], [1]], [[1, 2]]],
  ["tuple", { prefixItems: [{ type: "string" }], items: false }, [["a"], []], [["a", 1], [1]]],
  [
    "tuple of draft 7",
    { items: [{ type: "string" }], additionalItems: { type: "number" } },
    [["a", 1]],
    [["a", "b"]],
  ],
  [
    "uniqueItems",
    { uniqueItems: true },
    [[1, "1", { a: 1 }]],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  ["contains", { contains: { type: "number" }, maxContains: 1 }, [["a", 1]], [["a"], [1, 2]]],
  ["contains twice", { contains: { type: "number" }, minContains: 2 }, [["a", 1, 2]], [["a", 1]]],
  ["true and false", { properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
  ["anyOf", { anyOf: [{ type: "string" }, { minimum: 3 }] }, ["a", 4, {}], [1]],
  ["oneOf", { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
  ["not", { not: { type: "string" } }, [1], ["a"]],
  [
    "if, then, else",
    JSON.parse('{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}'),
    [
      { a: 1, b: 1 },
      { a: 2, c: 1 },
    ],
    [{ a: 1 }, { a: 2, b: 1 }],
  ],
  [
    "unevaluatedProperties sees through allOf and the form that fits, and not beside",
    {
      allOf: [{ properties: { a: {} } }],
      anyOf: [{ properties: { b: { const: 1 } }, required: ["b"] }, { properties: { c: {} } }],
      unevaluatedProperties: false,
    },
    [
      { a: 1, b: 1 },
      { a: 1, c: 1 },
    ],
    [{ b: 2 }, { d: 1 }],
  ],
  [
    "unevaluatedProperties does not see what lies beside it",
    { allOf: [{ properties: { a: {} } }, { unevaluatedProperties: false }], unevaluatedProperties: true },
    [{}],
    [{ a: 1 }],
  ],
  ["unevaluatedItems", { prefixItems: [{}], unevaluatedItems: { type: "string" } }, [[1, "a"]], [[1, 2]]],
  [
    "a schema that refers to itself",
    { properties: { next: { $ref: "#" }, n: { type: "number" } }, required: ["n"] },
    [{ n: 1, next: { n: 2 } }],
    [{ n: 1, next: { next: { n: 1 } } }],
  ],
  ["a pointer with escapes", { $ref: "#/$defs/a~1b%25", $defs: { "a/b%": { type: "null" } } }, [null], [1]],
  ["an anchor", { $ref: "#it", $defs: { a: { $anchor: "it", type: "null" } } }, [null], [1]],
  [
    "a reference by the document's own id",
    { $id: "https://a.test/s", $ref: "https://a.test/s#/$defs/a", $defs: { a: { type: "null" } } },
    [null],
    [1],
  ],
  ["beside a $ref", { $ref: "#/$defs/a", maximum: 3, $defs: { a: { minimum: 1 } } }, [2], [0, 4]],
  [
    "in draft 7 a $ref stands alone",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { a: { $ref: "#/definitions/a", maximum: 3 } },
      definitions: { a: { minimum: 1 } },
    },
    [{ a: 4 }],
    [{ a: 0 }],
  ],
])("%s", (_name, document, fitting, unfitting) => {
  const schema = jsonSchema(document);
  expect(fitting.filter((value) => !schema.safeParse(value).success)).toEqual([]);
  expect(unfitting.filter((value) => schema.safeParse(value).success)).toEqual([]);
});

it.each<[string, unknown, RegExp]>([
  ["another document", { $ref: "https://example.com/a.json" }, /`\/\$ref` points to another document/],
  [
    "a file",
    { properties: { a: { $ref: "./a.json#/b" } } },
    /`\/properties\/a\/\$ref` points to another document/,
  ],
  ["nothing", { $ref: "#/$defs/a" }, /does not exist/],
  ["an anchor that does not exist", { $ref: "#a", $defs: { b: { $anchor: "b" } } }, /does not exist/],
  ["the inside of a text", { $ref: "#/title/0", title: "a" }, /does not exist/],
  ["a pointer that cannot be decoded", { $ref: "#/%zz" }, /is not a JSON Pointer/],
  ["a reference that is no text", { $ref: 7 }, /`\/\$ref` has to be a string/],
  ["a schema that is no schema", { properties: { a: 7 } }, /`\/properties\/a` has to be a schema/],
  ["schemas without names", { properties: ["a"] }, /`\/properties` has to be an object of schemas/],
  ["one schema instead of a list", { anyOf: {} }, /`\/anyOf` has to be a list of schemas/],
  ["one word instead of a list", { enum: "a" }, /`\/enum` has to be a list/],
  ["half an item", { minItems: 0.5 }, /`\/minItems` has to be a whole number from 0/],
  ["a pattern that is no text", { pattern: 7 }, /`\/pattern` has to be a pattern of at most/],
  ["what every object has", { $ref: "#/constructor" }, /does not exist/],
  ["look-around", { pattern: "^(?=a)b" }, /`\/pattern` is a pattern that RE2 does not support/],
  ["a back reference", { patternProperties: { "(a)\\1": {} } }, /RE2 does not support/],
  ["a pattern that explodes", { pattern: "((a{0,100}){0,10})" }, /is too complex/],
  ["an unknown type", { type: "text" }, /`\/type` has to be/],
  ["bounds of draft 4", { exclusiveMinimum: true }, /`\/exclusiveMinimum` has to be a number/],
  ["dynamic references", { $dynamicRef: "#a" }, /not supported/],
  [
    "a document inside",
    { $defs: { a: { $id: "https://example.com/a" } }, $ref: "#/$defs/a" },
    /a separate document/,
  ],
  ["no object", [], /has to be an object/],
  ["nothing at all", undefined, /has to be an object/],
])("[P11] refuses a document with %s", (_name, document, sentence) => {
  expect(() => jsonSchema(document as JsonObject)).toThrow(sentence);
});

it("[P11] reports every fault of a document at once", () => {
  expect(() => jsonSchema({ type: "x", minimum: "1", required: "a" })).toThrow(
    /`\/type`[\s\S]*`\/minimum`[\s\S]*`\/required`/,
  );
});
