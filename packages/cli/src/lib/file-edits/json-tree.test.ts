import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blankArbitrary, jsonTextArbitrary } from "../../../../../test/support/json-text-arbitrary.ts";
import { findMember, type JsonNode, parseJsonTree, toPlainJson } from "./json-tree.ts";

const json = fc.jsonValue({ maxDepth: 4 });

it("reads every value that JSON.parse reads, with comments, blanks and trailing commas", () => {
  const texts = json.chain((value) =>
    fc.tuple(fc.constant(value), blankArbitrary, jsonTextArbitrary(value), fc.boolean()),
  );
  fc.assert(
    fc.property(texts, ([value, around, text, mark]) => {
      const tree = parseJsonTree(`${mark ? "\uFEFF" : ""}${around}${text}${around}`);
      expect(tree && toPlainJson(tree)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  );
});

it("records the start and end of each value", () => {
  fc.assert(
    fc.property(json.chain(jsonTextArbitrary), (text) => {
      const look = (node: JsonNode): void => {
        expect(toPlainJson(parseJsonTree(text.slice(node.start, node.end))!)).toEqual(toPlainJson(node));
        if (node.kind === "array") node.items.forEach(look);
        if (node.kind === "object") for (const { value } of node.members) look(value);
      };
      look(parseJsonTree(text)!);
    }),
    { numRuns: 100 },
  );
});

describe("returns undefined for text that is invalid, ambiguous or too deeply nested", () => {
  it.each([
    "",
    "{",
    '{"a": 1',
    '{"a" 1}',
    "{a: 1}",
    '{"a": 1 "b": 2}',
    '{,"a": 1}',
    "[1,,2]",
    "[01]",
    '"a\nb"',
    '"\\x"',
    "{} {}",
    "{} /* open",
    "nul",
    '{"a": 1, "a": 2}',
    `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  ])("%s", (text) => expect(parseJsonTree(text)).toBeUndefined());
});

it("reads a large settings file with long strings", () => {
  const text = JSON.stringify({ history: ['x\\"'.repeat(500_000)], mcpServers: {} });
  expect(findMember(parseJsonTree(text), "mcpServers")).toMatchObject({ kind: "object", members: [] });
});
