import { expect, it } from "vitest";
import { builtinToolNames } from "../builtin-tools/builtin-tool-names.ts";
import { selectBuiltinTools } from "../builtin-tools/index.ts";
import { assignToolNames } from "./tool-names.ts";

it("a tool is named after its capability", () => {
  expect(assignToolNames(["notes.list", "a.b.c"], builtinToolNames)).toEqual(
    new Map([
      ["notes.list", "notes_list"],
      ["a.b.c", "a_b_c"],
    ]),
  );
});

it("tool names are unique, differ from built-in names, and fit the limits of clients and models", () => {
  const long = `a.${"b".repeat(120)}`;
  const capabilities = ["a_b.c", "a.b_c", "a.b.c", "wait_for.call", "find.capabilities", long, `${long}c`];
  const names = [...assignToolNames(capabilities, builtinToolNames).values()];
  expect(new Set(names).size).toBe(capabilities.length);
  for (const name of names) {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    expect(builtinToolNames.has(name)).toBe(false);
  }
});

it("the name of a tool does not depend on the order of the capabilities", () => {
  const capabilities = ["a_b.c", "a.b_c", "x.y"];
  const there = assignToolNames(capabilities, builtinToolNames);
  const back = assignToolNames(capabilities.toReversed(), builtinToolNames);
  for (const name of capabilities) expect(back.get(name)).toBe(there.get(name));
});

it("the name of every built-in tool is reserved", () => {
  expect(new Set(selectBuiltinTools(undefined, "").keys())).toEqual(builtinToolNames);
});
