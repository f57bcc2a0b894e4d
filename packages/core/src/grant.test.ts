import { describe, expect, it } from "vitest";
import { type Bounds, isWithinBounds } from "./grant.ts";
import type { Json } from "./json.ts";

describe("[TRUST 15] the bounds of a grant", () => {
  it.each<[string, Bounds, Json]>([
    ["nothing, if there are none", {}, { any: 1 }],
    ["an equal value", { to: { is: "ana" } }, { to: "ana" }],
    ["an equal value inside an object", { "to.name": { is: null } }, { to: { name: null } }],
    ["one of several values", { to: { oneOf: ["ana", "ben"] } }, { to: "ben" }],
    ["a path with the prefix", { path: { startsWith: "/srv/" } }, { path: "/srv/a..b/c" }],
    ["a number between two", { cents: { atLeast: 1, atMost: 5 } }, { cents: 5 }],
  ])("contain %s", (_what, bounds, input) => {
    expect(isWithinBounds(bounds, input)).toBe(true);
  });

  it.each<[string, Bounds, Json]>([
    ["another value", { to: { is: "ana" } }, { to: "eve" }],
    ["another type", { n: { is: 1 } }, { n: "1" }],
    ["a structure, even if it is the same", { to: { is: { a: 1 } } }, { to: { a: 1 } }],
    ["a missing argument", { to: { oneOf: ["ana"] } }, {}],
    ["an argument with a bound that says nothing", { to: {} }, { to: "ana" }],
    ["an argument that every object has", { constructor: { startsWith: "" } }, {}],
    ["an argument of a list", { "to.0": { is: "ana" } }, { to: ["ana"] }],
    ["an argument of a text", { "to.name": { is: "ana" } }, { to: "ana" }],
    ["another prefix", { path: { startsWith: "/srv/" } }, { path: "/etc/" }],
    ["a path that leads out of its prefix", { path: { startsWith: "/srv/" } }, { path: "/srv/../etc" }],
    ["a path that leads out with a backslash", { path: { startsWith: "C:" } }, { path: "C:\\a\\..\\b" }],
    ["a number as a path", { path: { startsWith: "1" } }, { path: 1 }],
    ["a larger number", { cents: { atMost: 5 } }, { cents: 6 }],
    ["a smaller number", { cents: { atLeast: 1 } }, { cents: 0 }],
    ["a number as a text", { cents: { atLeast: 1, atMost: 5 } }, { cents: "3" }],
    ["an argument within only one of two bounds", { cents: { is: 3, atMost: 2 } }, { cents: 3 }],
  ])("do not contain %s", (_what, bounds, input) => {
    expect(isWithinBounds(bounds, input)).toBe(false);
  });
});
