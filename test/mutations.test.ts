import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { mutations } from "../lab/mutations/catalog/mutations.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

it("each mutation replaces a text that its file contains exactly once", () => {
  const misfits = mutations.filter(
    ({ file, find }) => readFileSync(join(root, file), "utf8").split(find).length !== 2,
  );
  expect(misfits.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});
