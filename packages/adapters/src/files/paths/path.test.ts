import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDraftName, isDraft, isDraftOfCall } from "../drafts/draft-name.ts";
import { listFileLocks, parsePathNames } from "./path.ts";

describe("path", () => {
  it("one file has one lock, however its path is spelled", () => {
    for (const path of ["a/b", "a//b", "./a/b", "a/./b", "a/b/", "a/b/."])
      expect(listFileLocks("files", path)).toEqual(["files:a/b"]);
    // Another adapter has another root.
    expect(listFileLocks("notes", "a/b")).toEqual(["notes:a/b"]);
    expect(listFileLocks("files", "a/../b")).toEqual([]);
  });

  it("accepted names are single names without a separator, `..` or NUL", () => {
    const part = fc.oneof(
      fc.constantFrom("..", ".", "", "/", "//", "\0", "\\", "~", "%2e%2e", "\u2024\u2024"),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        let names: string[];
        try {
          names = parsePathNames(parts.join("/"));
        } catch (error) {
          expect((error as { code: string }).code).toMatch(/^path-/);
          return;
        }
        for (const name of names)
          expect(name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name)).toBe(true);
        expect(parsePathNames(names.join("/"))).toEqual(names);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["/etc/passwd", "path-outside-root"],
    ["../x", "path-outside-root"],
    ["a/../../x", "path-outside-root"],
    ["a/../b", "path-outside-root"],
    ["..", "path-outside-root"],
    ["a\0b", "path-invalid"],
    ["a\ud800b", "path-invalid"],
    [".paraph-call-1.tmp", "path-reserved"],
    [".paraph-call-1.tmp/x", "path-reserved"],
  ])("refuses %j as %s", (path, code) => {
    expect(() => parsePathNames(path)).toThrow(expect.objectContaining({ kind: "permanent", code }));
  });

  it("a draft belongs to its own call only, and its name cannot be guessed", () => {
    expect(createDraftName("a", 1)).not.toBe(createDraftName("a", 1));
    expect(isDraftOfCall(createDraftName("a", 12), "a")).toBe(true);
    expect(isDraftOfCall(".paraph-a-3.tmp", "a")).toBe(true);
    expect(isDraftOfCall(createDraftName("a-1", 2), "a")).toBe(false);
    expect(isDraftOfCall(createDraftName("b", 1), "a")).toBe(false);
    const odd = createDraftName("../x/\n", 1);
    expect(odd).toMatch(/^\.paraph-[\w-]+\.[0-9a-f]+\.tmp$/);
    expect(isDraft(odd) && isDraftOfCall(odd, "../x/\n")).toBe(true);
  });
});
