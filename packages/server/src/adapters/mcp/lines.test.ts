import fc from "fast-check";
import { expect, it } from "vitest";
import { Lines } from "./lines.ts";

it("a text comes out in the same lines, in whichever pieces it came", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(20)), (texts, cuts) => {
      const expected = texts.map((text) => text.replaceAll(/[\r\n]/g, " "));
      let rest = Buffer.from(expected.map((text) => `${text}\n`).join(""));
      const lines = new Lines(1_000_000);
      const found: string[] = [];
      for (const cut of [...cuts, rest.length]) {
        found.push(...lines.take(rest.subarray(0, cut)));
        rest = rest.subarray(cut);
      }
      expect(found).toEqual(expected);
    }),
  );
});

it("[TRUST 24] a line that does not end is too long at some point, one after the other is not", () => {
  const lines = new Lines(100);
  for (let count = 0; count < 50; count++)
    expect(lines.take(Buffer.from("0123456789\r\n"))).toEqual(["0123456789"]);
  for (let count = 0; count < 10; count++) lines.take(Buffer.from("0123456789"));
  expect(() => lines.take(Buffer.from("1"))).toThrow("does not end");
});
