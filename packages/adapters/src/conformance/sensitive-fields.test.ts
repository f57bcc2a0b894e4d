import { expect, it } from "vitest";
import { listTexts, removeFields, replaceTexts } from "./sensitive-fields.ts";

const input = {
  card: { number: "4111", holder: "A. Person" },
  people: [
    { name: "Ann", pin: "1" },
    { name: "Bo", pin: ["2", { again: "3" }] },
  ],
  note: "4111",
};
const paths = ["card.number", "people.pin"];

it("lists every text in the sensitive fields, including texts in lists", () => {
  expect(listTexts(input, paths)).toEqual(["4111", "1", "2", "3"]);
  expect(listTexts(input, ["card.nothing"])).toEqual([]);
  expect(listTexts("text", paths)).toEqual([]);
});

it("[P10] replaces the texts in the sensitive fields with a canary, and no other texts", () => {
  expect(replaceTexts(input, paths, "canary")).toEqual({
    card: { number: "canary", holder: "A. Person" },
    people: [
      { name: "Ann", pin: "canary" },
      { name: "Bo", pin: ["canary", { again: "canary" }] },
    ],
    note: "4111",
  });
});

it("removes the sensitive fields", () => {
  expect(removeFields(input, [...paths, "note"])).toEqual({
    card: { holder: "A. Person" },
    people: [{ name: "Ann" }, { name: "Bo" }],
  });
});
