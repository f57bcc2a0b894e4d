import { expect, it } from "vitest";
import { replaced, textsAt, without } from "./sensitive-fields.ts";

const input = {
  card: { number: "4111", holder: "A. Person" },
  people: [
    { name: "Ann", pin: "1" },
    { name: "Bo", pin: ["2", { again: "3" }] },
  ],
  note: "4111",
};
const paths = ["card.number", "people.pin"];

it("finds every text below a field, through lists", () => {
  expect(textsAt(input, paths)).toEqual(["4111", "1", "2", "3"]);
  expect(textsAt(input, ["card.nothing"])).toEqual([]);
  expect(textsAt("text", paths)).toEqual([]);
});

it("[P10] puts a canary there and nowhere else", () => {
  expect(replaced(input, paths, "canary")).toEqual({
    card: { number: "canary", holder: "A. Person" },
    people: [
      { name: "Ann", pin: "canary" },
      { name: "Bo", pin: ["canary", { again: "canary" }] },
    ],
    note: "4111",
  });
});

it("leaves the fields out", () => {
  expect(without(input, [...paths, "note"])).toEqual({
    card: { holder: "A. Person" },
    people: [{ name: "Ann" }, { name: "Bo" }],
  });
});
