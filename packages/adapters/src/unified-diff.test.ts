import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUnifiedDiff } from "./unified-diff.ts";

describe("formatUnifiedDiff", () => {
  it("returns a unified diff", () => {
    expect(formatUnifiedDiff("a.txt", "one\ntwo\n", "one\n2\n")).toBe(
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    );
    expect(formatUnifiedDiff("a.txt", undefined, "one\n")).toBe(
      "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+one\n",
    );
  });

  it("returns a diff that turns the old text into the new one", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "\r", "-", "+", " ", "\n", "\n", "@@ -1 +1 @@"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(
          applyPatch(before, formatUnifiedDiff("f", before, after), { autoConvertLineEndings: false }),
        ).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  it("stays fast and correct for two large texts that have nothing in common", () => {
    const lines = (word: string) => Array.from({ length: 50_000 }, (_, i) => `${word} ${i}`).join("\n");
    const patch = formatUnifiedDiff("f", lines("old"), lines("new"));
    expect(applyPatch(lines("old"), patch)).toBe(lines("new"));
    expect(formatUnifiedDiff("f", lines("old"), lines("new"))).toBe(patch);
  });

  it("escapes a line break in a name, so that it cannot look like a line of the diff", () => {
    expect(formatUnifiedDiff("a\n+++ b/other", "x", "y").split("\n")[1]).toBe('+++ "b/a\\n+++ b/other"');
  });
});
