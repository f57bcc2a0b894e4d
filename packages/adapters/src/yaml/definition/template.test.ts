import fc from "fast-check";
import { expect, it } from "vitest";
import { fillTemplate, listLeadingNames, parseTemplate } from "./template.ts";

const faultless = (text: string) =>
  parseTemplate(text, (message) => {
    throw new Error(message);
  });

it("inserts values, unescapes doubled braces, and returns undefined if a value is missing", () => {
  const template = faultless("--x={{{a}}}:{b}");
  expect(fillTemplate(template, new Map(Object.entries({ a: "1", b: "2" })))).toBe("--x={1}:2");
  expect(fillTemplate(template, new Map([["a", "1"]]))).toBeUndefined();
});

it("[TRUST 18] an inserted value is never parsed as a template", () => {
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

it("reports unpaired braces and invalid names", () => {
  for (const text of ["{", "}", "{}", "{a b}", "{a", "a}", "{1}"]) {
    const faults: string[] = [];
    parseTemplate(text, (message) => faults.push(message));
    expect(faults, text).not.toEqual([]);
  }
});

it("lists every value before the first text as leading, because values may be empty", () => {
  expect(listLeadingNames(faultless("{a}{b}x{c}"))).toEqual(["a", "b"]);
  expect(listLeadingNames(faultless("--x={a}"))).toEqual([]);
});
