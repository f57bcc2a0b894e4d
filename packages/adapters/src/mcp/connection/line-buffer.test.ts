import fc from "fast-check";
import { expect, it } from "vitest";
import { LineBuffer } from "./line-buffer.ts";

it("returns the same lines however the text is split into chunks", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(20)), (texts, cuts) => {
      const expected = texts.map((text) => text.replaceAll(/[\r\n]/g, " "));
      let rest = Buffer.from(expected.map((text) => `${text}\n`).join(""));
      const lines = new LineBuffer(1_000_000);
      const found: string[] = [];
      for (const cut of [...cuts, rest.length]) {
        found.push(...lines.push(rest.subarray(0, cut)));
        rest = rest.subarray(cut);
      }
      expect(found).toEqual(expected);
    }),
  );
});

it("[TRUST 24] rejects one line beyond the size limit, but not many short lines", () => {
  const lines = new LineBuffer(100);
  for (let count = 0; count < 50; count++)
    expect(lines.push(Buffer.from("0123456789\r\n"))).toEqual(["0123456789"]);
  for (let count = 0; count < 10; count++) lines.push(Buffer.from("0123456789"));
  expect(() => lines.push(Buffer.from("1"))).toThrow("exceeds the size limit");
});
