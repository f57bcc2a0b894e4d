import { describe, expect, it } from "vitest";
import type { Json } from "../json.ts";
import { fillValues, findReferenceFault, listReferencedSteps } from "./value-references.ts";

const outputs: Readonly<Record<string, Json>> = {
  a: { list: [{ id: "x" }, null], "a/b": { "~": 1 }, nothing: null },
  b: "text",
};
const fill = (input: Json) => fillValues(input, (step) => outputs[step]);
const from = (step: string, path?: string) => ({ $from: step, ...(path !== undefined && { path }) });

describe("a reference becomes the value of an earlier output", () => {
  it.each<[string, Json, Json]>([
    ["the whole output", from("b"), "text"],
    ["the whole output by an empty path", { to: [from("a", "")] }, { to: [outputs.a!] }],
    ["a field of an item", [from("a", "/list/0/id")], ["x"]],
    ["a name with escapes", from("a", "/a~1b/~0"), 1],
    ["null", from("a", "/nothing"), null],
    ["no value inside a literal", { $literal: from("b") }, from("b")],
    [
      "beside a member that is called like a literal",
      { $literal: 1, x: from("b") },
      { $literal: 1, x: "text" },
    ],
  ])("%s", (_what, input, filled) => {
    expect(fill(input)).toEqual({ input: filled });
  });

  it.each<[string, Json, { from: string; path: string }]>([
    ["of a step without an output", from("c", "/x"), { from: "c", path: "/x" }],
    ["of a field that does not exist", from("a", "/list/7"), { from: "a", path: "/list/7" }],
    ["inside a text", from("b", "/length"), { from: "b", path: "/length" }],
    ["inside null", from("a", "/nothing/x"), { from: "a", path: "/nothing/x" }],
    ["that every object has", from("a", "/constructor"), { from: "a", path: "/constructor" }],
    ["before other missing values", [from("c"), from("d")], { from: "c", path: "" }],
  ])("or is missing: a value %s", (_what, input, missing) => {
    expect(fill(input)).toEqual({ missing });
  });
});

it("lists each step once, in the order of its first reference", () => {
  expect(
    listReferencedSteps({ x: [from("b"), from("a", "/x")], y: from("b"), z: { $literal: from("c") } }),
  ).toEqual(["b", "a"]);
});

it.each<[string, Json]>([
  ["a step that is no text", { $from: 1 }],
  ["a path that is no text", { $from: "a", path: 1 }],
  ["another member", { $from: "a", path: "/x", default: 1 }],
  ["a path without a slash", { $from: "a", path: "x" }],
])("a reference with %s has a fault", (_what, reference) => {
  expect(findReferenceFault({ deep: [reference] })).toMatch(/has to be written|JSON Pointer/);
  expect(findReferenceFault({ $literal: reference })).toBeUndefined();
});
