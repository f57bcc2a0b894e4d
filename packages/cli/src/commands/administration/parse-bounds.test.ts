import { expect, it } from "vitest";
import { parseBounds } from "./parse-bounds.ts";

it("parses prefix, equality, minimum and maximum bounds of arguments", () => {
  expect(
    parseBounds(["path^=notes/", "to.domain=example.org", "count:=3", "cents>=1", "cents<=500"]),
  ).toEqual({
    path: { startsWith: "notes/" },
    "to.domain": { is: "example.org" },
    count: { is: 3 },
    cents: { atLeast: 1, atMost: 500 },
  });
  expect(parseBounds(["a=b=c", "empty="])).toEqual({ a: { is: "b=c" }, empty: { is: "" } });
});

it.each(["path", "=x", "count:=x", "cents<=many", "cents<=", "a b=c"])("refuses `%s`", (text) => {
  expect(() => parseBounds([text])).toThrow("is not a bound");
});
