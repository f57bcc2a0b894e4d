import { expect, it } from "vitest";
import { findDeviations } from "./deviations.ts";

const refund = (to: string, cents: number, more: object = {}) => ({ to, cents, ...more });

it("an input deviates at the paths where more than half of the inputs share another value", () => {
  const inputs = [refund("Ada", 1_200), refund("Ben", 1_200), refund("Di", 120_000), refund("Ed", 1_200)];
  expect(findDeviations(inputs)).toEqual([[], [], ["cents"], []]);
  const nested = inputs.map((input, index) => ({ ...input, card: { last4: index === 0 ? "9" : "4" } }));
  expect(findDeviations(nested)).toEqual([["card.last4"], [], ["cents"], []]);
});

it("an input deviates if it omits a value that most inputs have, or adds one", () => {
  const inputs = [refund("Ada", 1, { note: "x" }), refund("Ben", 1, { note: "x" }), refund("Cy", 1)];
  expect(findDeviations(inputs)).toEqual([[], [], ["note"]]);
  expect(findDeviations([refund("Ada", 1), refund("Ben", 1), refund("Cy", 1, { fast: true })])).toEqual([
    [],
    [],
    ["fast"],
  ]);
});

it("without a value that more than half of the inputs share, no input deviates", () => {
  expect(findDeviations([refund("Ada", 1), refund("Ben", 2)])).toEqual([[], []]);
  expect(findDeviations([refund("Ada", 1), refund("Ada", 1), undefined, undefined])).toEqual([
    [],
    [],
    [],
    [],
  ]);
  expect(findDeviations([])).toEqual([]);
});
