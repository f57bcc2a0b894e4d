import fc from "fast-check";
import { expect, it } from "vitest";
import {
  escapeInvisible,
  escapeInvisibleJson,
  escapeInvisibleLines,
  splitInvisible,
} from "./escape-invisible.ts";

it("[TRUST 5] makes characters visible that a terminal would hide, obey or reorder", () => {
  expect(escapeInvisible("a\u001b[31mb")).toBe("a<U+001B>[31mb");
  expect(escapeInvisible("photo\u202egpj.exe")).toBe("photo<U+202E>gpj.exe");
  expect(escapeInvisible("pay\u200bpal\ufeff")).toBe("pay<U+200B>pal<U+FEFF>");
  expect(escapeInvisible("\u0085\u009b2J\u007f")).toBe("<U+0085><U+009B>2J<U+007F>");
  expect(escapeInvisible("x\u{e0041}\u{e007f}")).toBe("x<U+E0041><U+E007F>");
  expect(escapeInvisible("a\u2028b\u00a0c\u3164d\u2800e\u00ad")).toBe(
    "a<U+2028>b<U+00A0>c<U+3164>d<U+2800>e<U+00AD>",
  );
  expect(escapeInvisible("lone \ud800 surrogate")).toBe("lone <U+D800> surrogate");
  expect(escapeInvisible("one\r\n\ttwo")).toBe("one<U+000D><U+000A><U+0009>two");
});

it("leaves ordinary text alone", () => {
  const text = "Grüße, 世界! naïve café (x → y) 👍 «ok» C:\\path";
  expect(escapeInvisible(text)).toBe(text);
});

it("only `escapeInvisibleLines` keeps line breaks and tabs", () => {
  expect(escapeInvisibleLines("a\n\tb\r\n\u001b")).toEqual(["a", "\tb<U+000D>", "<U+001B>"]);
});

it("[TRUST 5] leaves no invisible character in any text, and the escaped JSON parses to the same value", () => {
  const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = escapeInvisibleJson({ [text]: text });
      const same = JSON.stringify(JSON.parse(json)) === JSON.stringify({ [text]: text });
      return same && !unseen.test(escapeInvisible(text)) && !unseen.test(json);
    }),
    { numRuns: 500 },
  );
});

it("[TRUST 5] `splitInvisible` returns the same text as `escapeInvisibleLines`, and marks the escaped parts", () => {
  expect(splitInvisible("a b\u202e\u200bc\n\t\u001b")).toEqual([
    { text: "a b", named: false },
    { text: "<U+202E><U+200B>", named: true },
    { text: "c\n\t", named: false },
    { text: "<U+001B>", named: true },
  ]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const said = splitInvisible(text).map((stretch) => stretch.text);
      return said.join("") === escapeInvisibleLines(text).join("\n");
    }),
    { numRuns: 500 },
  );
});

it("splits a million invisible characters in a row into fewer than 20,000 parts", () => {
  const stretches = splitInvisible("\u200b".repeat(1_000_000));
  expect(stretches.length).toBeLessThan(20_000);
  expect(stretches.every(({ named }) => named)).toBe(true);
});
