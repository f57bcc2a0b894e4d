import { expect, it } from "vitest";
import { builtinToolNames } from "../builtin-tools/builtin-tool-names.ts";
import { selectBuiltinTools } from "../builtin-tools/index.ts";
import { assignToolNames } from "./tool-names.ts";

it("a capability's tool is called after it", () => {
  expect(assignToolNames(["notes.list", "a.b.c"], builtinToolNames)).toEqual(
    new Map([
      ["notes.list", "notes_list"],
      ["a.b.c", "a_b_c"],
    ]),
  );
});

it("no two tools share a name, none is Paraph's own, and all fit what clients and models take", () => {
  const long = `a.${"b".repeat(120)}`;
  const capabilities = ["a_b.c", "a.b_c", "a.b.c", "wait_for.call", "find.capabilities", long, `${long}c`];
  const names = [...assignToolNames(capabilities, builtinToolNames).values()];
  expect(new Set(names).size).toBe(capabilities.length);
  for (const name of names) {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(builtinToolNames.has(name)).toBe(false);
  }
});

it("a name depends on what it names, not on the order in which others came", () => {
  const capabilities = ["a_b.c", "a.b_c", "x.y"];
  const there = assignToolNames(capabilities, builtinToolNames);
  const back = assignToolNames(capabilities.toReversed(), builtinToolNames);
  for (const name of capabilities) expect(back.get(name)).toBe(there.get(name));
});

it("every own tool's name is reserved", () => {
  expect(new Set(selectBuiltinTools(undefined, "").keys())).toEqual(builtinToolNames);
});
