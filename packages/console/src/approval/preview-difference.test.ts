import { expect, it } from "vitest";
import { listDifferences } from "./preview-difference.ts";

const toPreview = (changes: readonly object[], basis: unknown) => ({ changes, basis }) as never;
const card = { kind: "update", target: "card" };
const mail = { kind: "send", target: "ana@example.org" };

it("a changed preview names only what differs: facts, values of the same target, and whole changes", () => {
  const then = [
    { ...card, summary: "refund", details: { cents: { before: 0, after: 1250 }, owner: "Ana" } },
    mail,
    { ...mail, summary: "copy" },
  ];
  const now = [
    { ...card, summary: "refund", details: { cents: { before: 250, after: 1500 }, owner: "Ana" } },
    mail,
    { kind: "delete", target: "card" },
  ];
  const difference = listDifferences(
    toPreview(then, { status: "open" }),
    toPreview(now, { status: "paid", by: "bo" }),
  );
  expect(difference).toEqual({
    basis: { status: { before: "open", after: "paid" }, by: { before: "none", after: "bo" } },
    altered: [{ change: now[0], values: { cents: { before: "0 → 1250", after: "250 → 1500" } } }],
    added: [now[2]],
    removed: [then[2]],
  });
});

it("two equal previews differ in nothing, whatever the order of their facts", () => {
  const first = toPreview([card, mail], { a: 1, b: [{ c: 2 }] });
  const second = toPreview([mail, card], { b: [{ c: 2 }], a: 1 });
  expect(listDifferences(first, second)).toEqual({ basis: {}, altered: [], added: [], removed: [] });
});
