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
