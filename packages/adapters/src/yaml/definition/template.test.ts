import fc from "fast-check";
import { expect, it } from "vitest";
import { fillTemplate, listLeadingNames, parseTemplate } from "./template.ts";

const faultless = (text: string) =>
  parseTemplate(text, (message) => {
    throw new Error(message);
  });

it("puts values in and braces where they are doubled", () => {
  const template = faultless("--x={{{a}}}:{b}");
  expect(fillTemplate(template, new Map(Object.entries({ a: "1", b: "2" })))).toBe("--x={1}:2");
  expect(fillTemplate(template, new Map([["a", "1"]]))).toBeUndefined();
});

it("[TRUST 18] what is put in is never read again as a template", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const values = new Map([
        ["a", `{b}${a}`],
        ["b", b],
      ]);
      expect(fillTemplate(faultless("{a}/{b}"), values)).toBe(`{b}${a}/${b}`);
    }),
  );
});

it("a brace that stands alone is a fault, and so is a name that is none", () => {
  for (const text of ["{", "}", "{}", "{a b}", "{a", "a}", "{1}"]) {
    const faults: string[] = [];
    parseTemplate(text, (message) => faults.push(message));
    expect(faults, text).not.toEqual([]);
  }
});

it("every value before the first text may begin an argument, since values may be empty", () => {
  expect(listLeadingNames(faultless("{a}{b}x{c}"))).toEqual(["a", "b"]);
  expect(listLeadingNames(faultless("--x={a}"))).toEqual([]);
});
