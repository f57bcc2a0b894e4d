import { expect, it } from "vitest";
import { table } from "./table.ts";
import { plain } from "./testing/plain.ts";
import { cutTo, foldTo, widthOf } from "./width.ts";

const columns = [
  { title: "ID", text: (row: { id: string; why: string }) => row.id },
  { title: "WHY", text: (row: { id: string; why: string }) => row.why, flexible: true },
];

it("aligns columns and never cuts what goes into a pipe", () => {
  const why = "x".repeat(200);
  expect(
    table(
      columns,
      [
        { id: "a", why },
        { id: "long", why: "short" },
      ],
      plain(),
    ),
  ).toBe(`ID    WHY\na     ${why}\nlong  short`);
});

it("cuts flexible columns only, to the terminal's width", () => {
  const text = table(columns, [{ id: "call_0123456789", why: "because it is so, and so it is" }], plain(36));
  expect(text.split("\n")).toEqual(["ID               WHY", "call_0123456789  because it is so,…"]);
});

it("makes foreign text visible, so that a row stays a row", () => {
  expect(table(columns, [{ id: "a", why: "one\ntwo\u001b[2K" }], plain()).split("\n")).toHaveLength(2);
});

it("knows that some characters are wide and some take no room", () => {
  expect(widthOf("世界")).toBe(4);
  expect(widthOf("e\u0301")).toBe(1);
  expect(widthOf("\u001b[1mbold\u001b[22m")).toBe(4);
  expect(cutTo("世界世界", 5)).toBe("世界…");
});

it("folds long lines without losing a character", () => {
  const line = "a line with words and averyveryveryverylongwordthatdoesnotfit anywhere";
  const folded = foldTo(line, 20);
  expect(folded.join("")).toBe(line);
  expect(Math.max(...folded.map(widthOf))).toBeLessThanOrEqual(20);
  expect(foldTo(line, undefined)).toEqual([line]);
});
