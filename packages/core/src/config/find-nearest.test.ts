import { expect, it } from "vitest";
import { findNearest } from "./find-nearest.ts";

it.each([
  ["a misspelt name", "capabilty", ["approvers", "capability"], "capability"],
  ["two swapped characters", "rluse", ["roles", "rules"], "rules"],
  ["a wrong case", "TimeOut", ["timers", "timeout"], "timeout"],
  ["a part of the name", "url", ["host", "urlPrefix"], "urlPrefix"],
  ["the closest of several", "limits", ["limit", "limites", "hints"], "limit"],
  ["no name that is close", "colour", ["rules", "limits"], undefined],
  ["no name of a far other length", "a", ["approvers"], undefined],
  ["no candidate at all", "rules", [], undefined],
] as const)("%s: `%s`", (_what, name, candidates, nearest) => {
  expect(findNearest(name, candidates)).toBe(nearest);
});

it("prefers the same name in another case over a name that begins with it", () => {
  expect(findNearest("Limit", ["limits", "limit"])).toBe("limit");
});
