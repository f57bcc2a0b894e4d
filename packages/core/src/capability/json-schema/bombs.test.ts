import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../json.ts";
import { jsonSchema } from "./json-schema.ts";

const nested = (depth: number, make: (inner: Json) => Json, core: Json): Json =>
  Array.from({ length: depth }).reduce<Json>((inner) => make(inner), core);

const forms: JsonObject = {
  $defs: {
    it: { anyOf: [{ items: { $ref: "#/$defs/it" }, contains: false }, { items: { $ref: "#/$defs/it" } }] },
  },
  $ref: "#/$defs/it",
};
const laughs = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [
    `l${i}`,
    i === 29 ? { type: "string" } : { allOf: Array(10).fill({ $ref: `#/$defs/l${i + 1}` }) },
  ]),
);

const bombs: [string, JsonObject, Json][] = [
  ["billion laughs", { $ref: "#/$defs/l0", $defs: laughs }, "lol"],
  ["forms within forms", forms, nested(40, (inner) => [inner, inner].slice(0, 1), "x")],
  [
    "forms within forms, refused at the bottom",
    {
      ...forms,
      $defs: {
        it: {
          oneOf: [
            { type: "array", items: { $ref: "#/$defs/it" } },
            { type: "array", items: { $ref: "#/$defs/it" } },
          ],
        },
      },
    },
    nested(60, (inner) => [inner], 1),
  ],
  ["a reference to itself", { $ref: "#" }, {}],
  [
    "references in a circle",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } } },
    {},
  ],
  [
    "a list within a list within a list",
    { $ref: "#/$defs/a", $defs: { a: { items: { $ref: "#/$defs/a" } } } },
    nested(5_000, (inner) => [inner], 0),
  ],
  [
    "many unlike items",
    { uniqueItems: true },
    Array.from({ length: 50_000 }, (_, i) => ({ i, pad: "x".repeat(20) })),
  ],
  [
    "many keys against many patterns",
    {
      patternProperties: Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [`^(a|b|${i})*x{0,50}$`, false]),
      ),
    },
    Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`${"ab".repeat(20)}${i}`, 1])),
  ],
  ["(a+)+", { pattern: "^(a+)+$" }, `${"a".repeat(500_000)}!`],
  ["(x+x+)+y", { pattern: "(x+x+)+y" }, "x".repeat(500_000)],
  ["(a|aa)+", { pattern: "(a|aa)+$" }, `${"a".repeat(500_000)}b`],
  ["([a-z]+.)+[A-Z]", { pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" }, "a".repeat(100_000)],
  ["(.*a){20}", { pattern: "(.*a){20}$" }, `${"a".repeat(100_000)}b`],
  ["(a?){90}a{90}", { pattern: "^(a?){90}a{90}$" }, "a".repeat(4_000)],
  ["a format and a long text", { format: "email" }, `${"a.".repeat(200_000)}@`],
  ["an enum and a large value", { enum: ["a", { b: 1 }] }, Array(100_000).fill("aaaaaaaaaa")],
];

describe("[TRUST 24] schema bombs and patterns with exponential cost", () => {
  it.each(bombs)("validation with %s takes less than 500 ms of CPU time", (_name, document, value) => {
    const took = Array.from({ length: 5 }, () => {
      const from = process.cpuUsage();
      jsonSchema(document).safeParse(value);
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1_000;
    });
    // The test takes the least processor time of five runs. An exploding schema needs minutes, so a limit of ten times
    // the allowed 50 ms still detects it.
    expect(Math.min(...took)).toBeLessThan(500);
  });

  it("a document that is too long, too deep or circular is rejected", () => {
    expect(() => jsonSchema({ description: "x".repeat(600_000) })).toThrow(/longer than/);
    expect(() => jsonSchema(nested(120, (inner) => ({ not: inner }), {}) as JsonObject)).toThrow(
      /nested deeper/,
    );
    const circle: Record<string, unknown> = {};
    circle.not = circle;
    expect(() => jsonSchema(circle as JsonObject)).toThrow(/circular reference/);
  });

  it("300 patterns that are too complex together are rejected", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`^${i}x{0,50}$`, {}]));
    expect(() => jsonSchema({ patternProperties: many })).toThrow(/is too complex/);
  });

  it("[P11] a value that cannot be validated completely is invalid", () => {
    const { error } = jsonSchema({ $ref: "#" }).safeParse({});
    expect(error?.issues.map(({ message }) => message)).toEqual(["is nested too deeply to validate"]);
  });

  it("an ordinary input of 10,000 rows is validated completely", () => {
    const row = {
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string", pattern: "^[a-z]+$" } },
      required: ["id"],
      additionalProperties: false,
    };
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: "abcdefghijkl" }));
    expect(jsonSchema({ type: "array", items: row }).safeParse(rows).success).toBe(true);
  });
});
