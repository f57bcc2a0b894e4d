import { expect, it } from "vitest";
import { readFields } from "./schema-fields.ts";

it("a text is long if the schema says so, or if it says nothing and the name suggests it", () => {
  const text = { type: "string" };
  const fields = readFields({
    type: "object",
    properties: {
      content: text,
      Body: { anyOf: [text, { type: "null" }] },
      to: text,
      note: { ...text, maxLength: 5_000 },
      page: { ...text, contentMediaType: "text/html" },
      message: { ...text, maxLength: 80 },
      text: { ...text, format: "uri" },
      source: { ...text, pattern: "^[a-z]+$" },
      contents: { type: "array", items: text },
    },
  });
  const long = fields?.filter(({ isLong }) => isLong).map(({ name }) => name);
  expect(long).toEqual(["content", "Body", "note", "page"]);
});
