import { expect, it } from "vitest";
import { findLine } from "./find-line.ts";

const text = `export default defineConfig({
  // rules: [{ capability: "commented.out" }],
  rules: [
    { capability: ["a.b", "c.d"], when: { "input.x": { in: [1, 2] } }, ask: true },

    // The second rule, with a } in its comment.
    { capability: "e.f", sentence: "[1, 2], {", people: 2 },
    {
      capability: "g.h",
      people: 3,
    },
  ],
  limits: shared,
});`;

it("finds the line of an element of an array, and of a key inside it", () => {
  expect(findLine(text, ["rules"])).toBe(3);
  expect([0, 1, 2].map((index) => findLine(text, ["rules", index]))).toEqual([4, 7, 8]);
  expect(findLine(text, ["rules", 2, "people"])).toBe(10);
});

it("falls back to the key if the array is not written out in the file", () => {
  expect(findLine(text, ["rules", 9])).toBe(3);
  expect(findLine(text, ["limits", 0])).toBe(13);
  expect(findLine(text, ["nothing"])).toBeUndefined();
});

it("an element of a list that ends before it has the line of the list", () => {
  expect(findLine("export default { a: [[1], (2)] }", ["a", 1])).toBe(1);
  expect(findLine("export default {\n  a: [\n    [1, 2],\n  ],\n}", ["a", 0, 5])).toBe(3);
  expect(findLine("export default {\n  a: [1, 2", ["a", 3])).toBe(2);
});

it("finds a key in the short form, and a key before the exported object", () => {
  expect(findLine("const rules = [];\nexport default {\n  rules,\n};", ["rules"])).toBe(3);
  expect(findLine("const shared = { per: 'day' };\nexport default {};", ["per"])).toBe(1);
});
