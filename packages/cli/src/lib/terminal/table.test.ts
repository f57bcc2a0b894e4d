import { expect, it } from "vitest";
import { createPlainPaint } from "../../testing/captured-output.ts";
import { formatTable } from "./table.ts";
import { measureWidth, truncateToWidth, wrapToWidth } from "./width.ts";

const columns = [
  { title: "ID", text: (row: { id: string; why: string }) => row.id },
  { title: "WHY", text: (row: { id: string; why: string }) => row.why, flexible: true },
];

it("aligns columns, and truncates nothing when the output is a pipe", () => {
  const why = "x".repeat(200);
  expect(
    formatTable(
      columns,
      [
        { id: "a", why },
        { id: "long", why: "short" },
      ],
      createPlainPaint(),
    ),
  ).toBe(`ID    WHY\na     ${why}\nlong  short`);
});

it("truncates only flexible columns to the terminal's width", () => {
  const text = formatTable(
    columns,
    [{ id: "call_0123456789", why: "because it is so, and so it is" }],
    createPlainPaint(36),
  );
  expect(text.split("\n")).toEqual(["ID               WHY", "call_0123456789  because it is so,…"]);
});

it("escapes control characters in cells, so that a row stays on one line", () => {
  expect(
    formatTable(columns, [{ id: "a", why: "one\ntwo\u001b[2K" }], createPlainPaint()).split("\n"),
  ).toHaveLength(2);
});

it("measures wide characters as two columns, and combining marks and escape codes as none", () => {
  expect(measureWidth("世界")).toBe(4);
  expect(measureWidth("e\u0301")).toBe(1);
  expect(measureWidth("\u001b[1mbold\u001b[22m")).toBe(4);
  expect(truncateToWidth("世界世界", 5)).toBe("世界…");
});

/** One range per script whose characters take two columns, from Unicode's EastAsianWidth.txt (wide and fullwidth). */
const wideRanges = [
  ...[
    [0x1100, 0x115f],
    [0x231a, 0x231b],
    [0x23e9, 0x23ec],
    [0x2630, 0x2637],
    [0x2e80, 0x2e99],
  ],
  ...[
    [0x3041, 0x3096],
    [0x4dc0, 0x4dff],
    [0xa960, 0xa97c],
    [0xac00, 0xd7a3],
    [0xfe10, 0xfe19],
  ],
  ...[
    [0xff01, 0xff60],
    [0x17000, 0x187f7],
    [0x18800, 0x18cd5],
    [0x1b000, 0x1b122],
    [0x1b170, 0x1b2fb],
  ],
  ...[
    [0x1d300, 0x1d356],
    [0x1f210, 0x1f23b],
    [0x1f600, 0x1f64f],
    [0x20000, 0x2a6df],
  ],
] as [number, number][];

it("[TRUST 5] counts two columns for every wide character, so that the terminal wraps no line", () => {
  const narrow: string[] = [];
  let counted = 0;
  for (const [from, to] of wideRanges)
    for (let point = from; point <= to; point += 1, counted += 1)
      if (measureWidth(String.fromCodePoint(point)) !== 2) narrow.push(point.toString(16));
  expect(narrow).toEqual([]);
  expect(counted).toBeGreaterThan(60_000);
  const tangut = String.fromCodePoint(0x17000).repeat(50);
  expect(wrapToWidth(tangut, 20).map((line) => [...line].length)).toEqual([10, 10, 10, 10, 10]);
});

it("counts one column for narrow characters, even next to a wide range", () => {
  for (const point of [0x2e9a, 0x303f, 0xff61, 0x41, 0xe9, 0x2026])
    expect(measureWidth(String.fromCodePoint(point)), point.toString(16)).toBe(1);
});

it("wraps long lines without losing a character", () => {
  const line = "a line with words and averyveryveryverylongwordthatdoesnotfit anywhere";
  const folded = wrapToWidth(line, 20);
  expect(folded.join("")).toBe(line);
  expect(Math.max(...folded.map(measureWidth))).toBeLessThanOrEqual(20);
  expect(wrapToWidth(line, undefined)).toEqual([line]);
});
