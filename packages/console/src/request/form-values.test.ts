import fc from "fast-check";
import { expect, it } from "vitest";
import { readForm, writeForm } from "./form-values.ts";
import { type Field, readFields } from "./schema-fields.ts";

const schema = {
  type: "object",
  required: ["to", "speed", "address"],
  properties: {
    to: { type: "string" },
    cents: { type: "integer", minimum: 1 },
    rate: { anyOf: [{ type: "number" }, { type: "null" }] },
    gift: { type: "boolean" },
    speed: { enum: ["standard", "express", 3] },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { $ref: "#/$defs/size" } },
    address: { type: "object", required: ["city"], properties: { city: { type: "string" }, "a/b": {} } },
    extra: { type: "object", additionalProperties: true },
  },
  $defs: { size: { type: "integer" } },
} as const;

const fields = readFields(schema)!;
const input = fc.record(
  {
    to: fc.string(),
    cents: fc.oneof(fc.integer(), fc.string(), fc.double()),
    rate: fc.oneof(fc.double(), fc.constant(null)),
    gift: fc.boolean(),
    speed: fc.constantFrom("standard", "express", 3, "slow"),
    tags: fc.array(fc.string()),
    sizes: fc.array(fc.integer()),
    address: fc.record({ city: fc.string(), "a/b": fc.jsonValue() }, { requiredKeys: ["city"] }),
    extra: fc.jsonValue(),
    other: fc.integer(),
  },
  { requiredKeys: ["to", "speed", "address"] },
);

it("a form states exactly the input that it was filled with, or refuses to show it as fields", () => {
  let stated = 0;
  fc.assert(
    fc.property(input, (given) => {
      const plain: unknown = JSON.parse(JSON.stringify(given));
      const texts = writeForm(fields, plain);
      if (!texts) return;
      const read = readForm(fields, texts);
      stated += 1;
      expect(read.kind === "input" ? read.input : [...read.faults.values()]).toEqual(
        read.kind === "input" ? plain : [expect.stringContaining("not a whole number")],
      );
    }),
    { numRuns: 2_000 },
  );
  expect(stated).toBeGreaterThan(50);
});

it("names the type, the limits and the required fields, and every fault at its field", () => {
  const names = (some: readonly Field[]): unknown[] =>
    some.map(({ path, kind, isRequired, fields: own }) => [
      path,
      kind,
      isRequired,
      ...(own ? [names(own)] : []),
    ]);
  expect(names(fields)).toEqual([
    ["to", "text", true],
    ["cents", "number", false],
    ["rate", "number", false],
    ["gift", "boolean", false],
    ["speed", "choice", true],
    ["tags", "list", false],
    ["sizes", "list", false],
    [
      "address",
      "group",
      true,
      [
        ["address/city", "text", true],
        ["address/a~1b", "json", false],
      ],
    ],
    ["extra", "json", false],
  ]);
  expect(fields[1]?.type).toBe("whole number, at least 1");
  const read = readForm(fields, { cents: "2.5", sizes: "1\nx", extra: "{" });
  expect(read.kind === "faults" && Object.fromEntries(read.faults)).toEqual({
    to: "This field is required.",
    speed: "This field is required.",
    "address/city": "This field is required.",
    cents: "This is not a whole number.",
    sizes: "This is not a number.",
    extra: "This is not JSON.",
  });
});

it("a schema without named fields, or with alternatives, is written as JSON", () => {
  expect(readFields({ type: "object", additionalProperties: true })).toBeUndefined();
  expect(readFields({ anyOf: [{ type: "object" }] })).toBeUndefined();
  expect(readFields({ type: "object", properties: {}, additionalProperties: false })).toEqual([]);
  expect(readFields({ $ref: "https://evil.example/schema" })).toBeUndefined();
});

it("[TRUST 5] a text with hidden characters is no text of a form, so a person edits it as JSON with escapes", () => {
  const hidden = { to: "invoice\u202egpj.exe", speed: 3, address: { city: "Berlin" } };
  expect(writeForm(fields, hidden)).toBeUndefined();
  expect(writeForm(fields, { ...hidden, to: "a", tags: ["b\u200b"] })).toBeUndefined();
  const texts = writeForm(fields, { ...hidden, to: "a", extra: { note: "c\u2066" } });
  expect(texts?.extra).toBe('{\n  "note": "c\\u2066"\n}');
  expect(texts && readForm(fields, texts)).toMatchObject({ input: { extra: { note: "c\u2066" } } });
});
