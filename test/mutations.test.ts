import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { mutations } from "../lab/mutations/catalog/mutations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

it("each mutation replaces a text that its file contains exactly once", () => {
  const misfits = mutations.filter(({ file, find }) => read(file).split(find).length !== 2);
  expect(misfits.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});

it("each mutation names a test that its file has, or a title of tests that several files share", () => {
  const shared = globSync("packages/*/src/**/testing/**/*.ts", { cwd: root }).flatMap((file) =>
    listTitles(read(file)),
  );
  const hasTest = ({ file, title }: (typeof mutations)[number]["caughtBy"]) => {
    const source = read(file);
    const isTitle = [...listTitles(source), ...shared].some((pattern) => pattern.test(title));
    // Other titles are mostly placeholders, and their words are data of the file. A missing value is `undefined`.
    const words = title.replaceAll("undefined", "").match(/\w{4,}/g) ?? [];
    return isTitle || words.every((word) => source.includes(word));
  };
  const lost = mutations.filter(({ caughtBy }) => !hasTest(caughtBy));
  expect(lost.map(({ name, caughtBy }) => `${name}: ${caughtBy.title}`)).toEqual([]);
});

/** Returns the strings of a source that can be titles. A placeholder of a title matches any text. */
function listTitles(source: string): RegExp[] {
  const strings = source.matchAll(/(["`])((?:\\.|(?!\1)[^\\])*)\1/gs);
  return (
    [...strings]
      .map(([, , text = ""]) => text.replaceAll('\\"', '"'))
      .map((text) => text.split(/%[sjod]|\$\{[^}]*\}|\$[\w.]+/))
      // A string that is mostly placeholders would match every title.
      .filter((parts) => parts.join("").length >= 8)
      .map((parts) => new RegExp(`^${parts.map(escapePattern).join(".+")}$`, "s"))
  );
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
