import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blank, writtenOf } from "../../../../test/written-json.ts";
import { type JsonNode, jsonTree, memberOf, plainOf } from "./json-tree.ts";

const json = fc.jsonValue({ maxDepth: 4 });

it("reads whatever JSON.parse reads, through comments, blanks and commas at the end", () => {
  const texts = json.chain((value) => fc.tuple(fc.constant(value), blank, writtenOf(value), fc.boolean()));
  fc.assert(
    fc.property(texts, ([value, around, text, mark]) => {
      const tree = jsonTree(`${mark ? "\uFEFF" : ""}${around}${text}${around}`);
      expect(tree && plainOf(tree)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  );
});

it("knows where each value stands", () => {
  fc.assert(
    fc.property(json.chain(writtenOf), (text) => {
      const look = (node: JsonNode): void => {
        expect(plainOf(jsonTree(text.slice(node.start, node.end))!)).toEqual(plainOf(node));
        if (node.kind === "array") node.items.forEach(look);
        if (node.kind === "object") for (const { value } of node.members) look(value);
      };
      look(jsonTree(text)!);
    }),
    { numRuns: 100 },
  );
});

describe("leaves alone what nobody can be sure of", () => {
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
  ])("%s", (text) => expect(jsonTree(text)).toBeUndefined());
});

it("reads a large file of settings at once, with long texts in it", () => {
  const text = JSON.stringify({ history: ['x\\"'.repeat(500_000)], mcpServers: {} });
  expect(memberOf(jsonTree(text), "mcpServers")).toMatchObject({ kind: "object", members: [] });
});
