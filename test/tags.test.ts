import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

// Tests and comments quote rules by tags such as [P5]. Threats ([TRUST 9]) are checked in threat-model.test.ts.

const root = fileURLToPath(new URL("..", import.meta.url));
const page = (name: string) => readFileSync(join(root, "docs", name), "utf8");

const rules = new Set([
  ...[...page("pipeline.md").matchAll(/^\| \*\*(P\d+)\*\* \|/gm)].map(([, tag]) => tag!),
  ...[...page("guides/observations.md").matchAll(/^- \*\*(O\d+) /gm)].map(([, tag]) => tag!),
  ...[...page("pipeline.md").matchAll(/quote\s+this as `\[(\w+)\]`/g)].map(([, tag]) => tag!),
]);

it("every tag in a test title or a comment names a rule that the documentation states", () => {
  const unknown = listSources(["packages", "test", "lab", "examples"])
    .flatMap((file) => tagsIn(readFileSync(join(root, file), "utf8")).map((tag) => ({ file, tag })))
    .filter(({ tag }) => !rules.has(tag));
  expect(unknown, "quote a rule of docs/pipeline.md or docs/guides/observations.md, or drop the tag").toEqual(
    [],
  );
});

it("the known rules include those of the pipeline, of observations, and those without a number", () => {
  expect([...rules]).toEqual(
    expect.arrayContaining(["P1", "P15", "O1", "O5", "fence", "limits", "locks", "replay"]),
  );
});

/** Returns the tags at the beginning of titles and comments, of which there may be several in a row. */
function tagsIn(text: string): string[] {
  const runs = text.matchAll(/(?:["'`]|\/\*\*? |\* |\/\/ |-- )((?:\[[A-Za-z]+ ?\d*\] ?)+)/g);
  return [...runs].flatMap(([, run = ""]) =>
    [...run.matchAll(/\[([A-Z]+\d+|[a-z]+ \d+|fence|limits|locks|replay)\]/g)].map(([, tag]) => tag!),
  );
}

/** Lists the sources in git. Other tests create and delete further files meanwhile. */
function listSources(folders: readonly string[]): string[] {
  const files = execFileSync("git", ["ls-files", ...folders], { cwd: root, encoding: "utf8" });
  return files.split("\n").filter((file) => /\.(ts|sql)$/.test(file));
}
