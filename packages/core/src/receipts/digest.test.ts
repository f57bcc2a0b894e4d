import { describe, expect, it } from "vitest";
import type { Json } from "../json.ts";
import { canonical, commitment, digest, fingerprint, sameJson, sha256Hex } from "./digest.ts";

describe("RFC 8785", () => {
  it("sorts members by UTF-16 code units, not by code points", () => {
    const value = {
      "\ufb33": 1,
      "😂": 2,
      "€": 3,
      ö: 4,
      "\u0080": 5,
      "1": 6,
      "\r": 7,
      "": 8,
      aa: 9,
      a: 10,
      A: 11,
    };
    // 😂 is D83D DE02 in UTF-16, so it sorts before U+FB33 although its code point is greater.
    const order = ["", "\r", "1", "A", "a", "aa", "\u0080", "ö", "€", "😂", "\ufb33"];
    expect(Object.keys(JSON.parse(canonical(value)) as object).filter((key) => key !== "1")).toEqual(
      order.filter((key) => key !== "1"),
    );
    expect(canonical(value)).toBe(
      '{"":8,"\\r":7,"1":6,"A":11,"a":10,"aa":9,"\u0080":5,"ö":4,"€":3,"😂":2,"\ufb33":1}',
    );
  });

  it("sorts at every depth and leaves arrays in their order", () => {
    expect(canonical({ b: [{ d: 1, c: 2 }, 3], a: {} })).toBe('{"a":{},"b":[{"c":2,"d":1},3]}');
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [1, "1"],
    [-1.5, "-1.5"],
    [1e2, "100"],
    [1e20, "100000000000000000000"],
    [1e21, "1e+21"],
    [1e-6, "0.000001"],
    [1e-7, "1e-7"],
    [4.5, "4.5"],
    [2e-3, "0.002"],
    [1e30, "1e+30"],
    [0.1 + 0.2, "0.30000000000000004"],
    [333333333.3333333, "333333333.3333333"],
    [5e-324, "5e-324"],
    [Number.MAX_VALUE, "1.7976931348623157e+308"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [9007199254740994, "9007199254740994"],
    [295147905179352830000, "295147905179352830000"],
  ])("writes the number %d as ECMAScript does", (value, form) => {
    expect(canonical(value)).toBe(form);
  });

  it("escapes only the characters that must be escaped", () => {
    expect(canonical('\u20ac$\u000F\u000aA\'B"\\\\"/')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
    expect(canonical("\b\f\n\r\t\u0000\u007f\u2028")).toBe('"\\b\\f\\n\\r\\t\\u0000\u007f\u2028"');
  });

  it("does not normalise text, so two encodings of é are two values", () => {
    expect(sameJson("\u00e9", "e\u0301")).toBe(false);
  });

  it.each([
    ["a lone surrogate", "\ud800"],
    ["a lone surrogate as a name", { "\udead": 1 }],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["nothing at all", undefined],
    ["a big integer", 1n],
    ["a circle", circle()],
  ])("rejects %s without quoting it", (_name, value) => {
    expect(() => canonical(value as Json)).toThrow(/^The value has no canonical JSON form/);
  });
});

describe("digests", () => {
  it("a digest is SHA-256 over the canonical bytes", () => {
    expect(digest({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("[P1] a digest depends on every value and name, but not on the order of members", () => {
    expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }));
    expect(
      new Set([{ a: 1 }, { a: "1" }, { a: null }, {}, [1], { A: 1 }].map((value) => digest(value))).size,
    ).toBe(6);
  });

  it("[P10] a commitment is the hash of salt and value, so another salt gives another commitment", () => {
    expect(commitment("s1", { a: 1 })).not.toBe(commitment("s2", { a: 1 }));
    expect(commitment("s1", { a: 1 })).toBe(sha256Hex('s1:{"a":1}'));
  });

  it("`sameJson` compares by value, and `undefined` equals only `undefined`", () => {
    expect([
      sameJson({ a: [1] }, { a: [1] }),
      sameJson(undefined, null),
      sameJson(undefined, undefined),
    ]).toEqual([true, false, true]);
  });

  it("a fingerprint is four groups of four digits", () => {
    expect(fingerprint("0123456789abcdef".repeat(4))).toBe("0123456789abcdef");
  });
});

function circle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
