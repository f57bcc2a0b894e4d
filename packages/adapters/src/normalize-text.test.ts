import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { filePathInput as filesPath } from "./files/context.ts";
import { identInput } from "./git/commits/ident.ts";
import { messageInput } from "./git/commits/message.ts";
import { revisionInput } from "./git/refs/revision.ts";
import { treePathInput as gitPath } from "./git/tree-path.ts";
import { runInput } from "./terminal/capabilities/run-input.ts";
import { createInputSchema } from "./yaml/definition/input-schema.ts";
import type { Tool } from "./yaml/definition/tool.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const yamlPath = () => {
  const inputs = new Map([["path", { type: "path", below: "docs", optional: false }]]);
  return createInputSchema({ inputs, leadingInputs: new Set(), definition: { tags: [] } } as unknown as Tool);
};

describe("[TRUST 30] policy, grants, locks and people see the spelling that is used", () => {
  it.each<[string, z.ZodType, unknown, unknown]>([
    ...["a//b", "./a/b", "a/./b", "a/b/", "a/b/."].flatMap(
      (path): [string, z.ZodType, unknown, unknown][] => [
        [`files ${path}`, filesPath, path, "a/b"],
        [`git ${path}`, gitPath, path, "a/b"],
        [`yaml ${path}`, yamlPath(), { path }, { path: "a/b" }],
        [`terminal ${path}`, runInput, { argv: ["ls"], cwd: path }, { argv: ["ls"], cwd: "a/b" }],
      ],
    ),
    ["files root", filesPath, "./", ""],
    ["git everything", gitPath, "./", "."],
    ["a revision", revisionInput, `${commit.toUpperCase()}~1`, `${commit}~1`],
    ["a branch keeps its case", revisionInput, "Main", "Main"],
    ["a message", messageInput, "  Fix it\r\n\r\nBecause.\r\n\n", "Fix it\n\nBecause."],
    [
      "an author",
      identInput,
      { name: " Ana. ", email: "ana@example.com," },
      { name: "Ana", email: "ana@example.com" },
    ],
  ])("%s", (_, schema, given, used) => {
    expect(schema.parse(given)).toEqual(used);
    expect(schema.parse(used)).toEqual(used);
  });

  it.each([
    ["../x", filesPath],
    ["/etc/passwd", filesPath],
    ["a/../b", gitPath],
    [".git/config", gitPath],
  ])("%s is passed on unchanged for the capability to reject", (path, schema) => {
    expect(schema.parse(path)).toBe(path);
  });
});
