import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");
/** Paths in backticks that begin with a folder of this repository. Packages may be named without `packages/`. */
const path =
  /`((?:packages|core\/src|adapters\/src|server\/src|cli\/src|sdk\/src|pipeline|lab|test|scripts|deploy|contracts|examples)\/[\w./-]+(?:\.\w+|\/))`/g;

it("every path that the documentation names exists", () => {
  const missing = pages.flatMap((page) =>
    [...readFileSync(`${root}${page}`, "utf8").matchAll(path)]
      .map(([, named]) => named!)
      .filter(
        (named) =>
          !["", "packages/", "packages/core/src/"].some((prefix) => existsSync(root + prefix + named)),
      )
      .map((named) => `${page}: ${named}`),
  );
  expect(missing).toEqual([]);
});

it("every screenshot is shown on a page", () => {
  const texts = [...pages, "site/src/home.mdx"]
    .map((page) => readFileSync(`${root}${page}`, "utf8"))
    .join("\n");
  const unused = readdirSync(`${root}docs/screenshots`).filter(
    (name) => !texts.includes(`screenshots/${name}`),
  );
  expect(unused).toEqual([]);
});
