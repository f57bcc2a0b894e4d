import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draftName, isDraft, isDraftOf } from "./draft-name.ts";
import { lockOf, namesOf } from "./path.ts";

describe("path", () => {
  it("one file has one lock, however its path is spelled", () => {
    for (const path of ["a/b", "a//b", "./a/b", "a/./b", "a/b/", "a/b/."])
      expect(lockOf("files", path)).toEqual(["files:a/b"]);
    // Another adapter has another root.
    expect(lockOf("notes", "a/b")).toEqual(["notes:a/b"]);
    expect(lockOf("files", "a/../b")).toEqual([]);
  });

  it("names that pass are single names: no separator, no step up, no NUL", () => {
    const part = fc.oneof(
      fc.constantFrom("..", ".", "", "/", "//", "\0", "\\", "~", "%2e%2e", "\u2024\u2024"),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        let names: string[];
        try {
          names = namesOf(parts.join("/"));
        } catch (error) {
          expect((error as { code: string }).code).toMatch(/^path-/);
          return;
        }
        for (const name of names)
          expect(name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name)).toBe(true);
        expect(namesOf(names.join("/"))).toEqual(names);
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
    expect(() => namesOf(path)).toThrow(expect.objectContaining({ kind: "permanent", code }));
  });

  it("a draft belongs to its own call only, and its name cannot be guessed", () => {
    expect(draftName("a", 1)).not.toBe(draftName("a", 1));
    expect(isDraftOf(draftName("a", 12), "a")).toBe(true);
    expect(isDraftOf(".paraph-a-3.tmp", "a")).toBe(true);
    expect(isDraftOf(draftName("a-1", 2), "a")).toBe(false);
    expect(isDraftOf(draftName("b", 1), "a")).toBe(false);
    const odd = draftName("../x/\n", 1);
    expect(odd).toMatch(/^\.paraph-[\w-]+\.[0-9a-f]+\.tmp$/);
    expect(isDraft(odd) && isDraftOf(odd, "../x/\n")).toBe(true);
  });
});
