import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

// Keeps docs/security/threat-model.md consistent with the code. It fails for a tag without a threat, a renamed test, or
// a threat without a test and without a stated gap.

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(root, "docs/security/threat-model.md"), "utf8");

interface Threat {
  readonly number: number;
  /** The attacks that are not prevented, or a dash. */
  readonly open: string;
}

interface Evidence {
  readonly number: number;
  readonly file: string;
  readonly title: string;
}

const threats: readonly Threat[] = rowsBelow("## Threats").map(([number, , , open = ""]) => ({
  number: Number(number),
  open,
}));
const evidence: readonly Evidence[] = rowsBelow("## Tests").map(([number, file = "", title = ""]) => ({
  number: Number(number),
  file: file.replaceAll("`", ""),
  title,
}));

it("numbers every threat once, in order", () => {
  expect(threats.map(({ number }) => number)).toEqual(threats.map((_, index) => index + 1));
  expect(threats.length).toBeGreaterThanOrEqual(34);
});

it("has a row for every tag in the repository", () => {
  const known = new Set(threats.map(({ number }) => number));
  const unknown = tags().filter(({ number }) => !known.has(number));
  expect(unknown, "add a row to docs/security/threat-model.md, or correct the tag").toEqual([]);
});

it("names only tests that exist, by file and title", () => {
  const known = new Set(threats.map(({ number }) => number));
  const missing = evidence.filter(
    ({ number, file, title }) => !known.has(number) || title === "" || !holdsTest(file, title),
  );
  expect(missing, "correct these rows of docs/security/threat-model.md").toEqual([]);
});

it("gives every threat a test, or says that it is open and why", () => {
  const tested = new Set(evidence.map(({ number }) => number));
  const bare = threats.filter(({ number, open }) => !tested.has(number) && !hasReason(open));
  expect(bare).toEqual([]);
  const vague = threats.filter(({ open }) => open !== "—" && !hasReason(open));
  expect(vague, "write a dash, or `*open*: ` and the gap").toEqual([]);
});

function hasReason(open: string): boolean {
  return /^\*open\*: \S.{20,}/.test(open);
}

/** Returns whether the title is a whole string of the file. A part of another title or of a comment does not count. */
function holdsTest(file: string, title: string): boolean {
  const path = join(root, file);
  if (!file.endsWith(".test.ts") || !existsSync(path)) return false;
  const text = readFileSync(path, "utf8");
  return ['"', "'", "`"].some((quote) => text.includes(quote + title + quote));
}

/** Returns the cells of the table below a heading, without its header. */
function rowsBelow(heading: string): string[][] {
  const [, below = ""] = page.split(`\n${heading}\n`);
  const [section = ""] = below.split("\n## ");
  return section
    .split("\n")
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** Returns every `[TRUST n]` and `[TRUST n, m]`, with the file that contains it. */
function tags(): { readonly file: string; readonly number: number }[] {
  return listFiles(["packages", "test", "lab", "examples", "docs"]).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/\[TRUST (\d+(?:, ?\d+)*)\]/g)].flatMap(([, numbers = ""]) =>
      numbers.split(",").map((number) => ({ file, number: Number(number) })),
    );
  });
}

/** Lists the files in git. Other tests create and delete further files meanwhile. */
function listFiles(folders: readonly string[]): string[] {
  const files = execFileSync("git", ["ls-files", ...folders], { cwd: root, encoding: "utf8" });
  return files.split("\n").filter((file) => /\.(ts|tsx|js|mjs|sql|md|json|ya?ml|cedar|sh|css)$/.test(file));
}
