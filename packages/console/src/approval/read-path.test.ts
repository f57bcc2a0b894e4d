import { expect, it } from "vitest";
import { readPath } from "./read-path.ts";

it("reads a field by the path that names a masked one: below names, in each item of a list, and in a step", () => {
  const card = { number: "4412", owner: { name: "Jon" } };
  expect(readPath({ card }, "card.number")).toBe("4412");
  expect(readPath({ cards: [card, { number: "4413" }, {}] }, "cards.number")).toEqual(["4412", "4413"]);
  const plan = { steps: [{ id: "pay", input: { $literal: { card } } }] };
  expect(readPath(plan, "steps.pay.card.owner.name")).toBe("Jon");
  expect(readPath(plan, "steps.pay")).toEqual({ card });
  expect(readPath({ card }, "input")).toEqual({ card });
  expect([readPath({ card }, "words"), readPath(undefined, "card"), readPath({}, "constructor")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
