import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createMissingLinks, preparePostgresBinaries } from "./postgres-binaries.ts";

it("finds PostgreSQL's programs", async () => {
  const { initdb, postgres } = await preparePostgresBinaries();
  expect([initdb, postgres].filter((file) => !existsSync(file))).toEqual([]);
});

it("creates the links that a blocked install script left out, from several processes at once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-links-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "native/lib"), { recursive: true });
  await writeFile(join(folder, "native/lib/libpq.so.5.18"), "the library");
  const links = ["libpq.so", "libpq.so.5"].map((name) => ({
    source: "native/lib/libpq.so.5.18",
    target: `native/lib/${name}`,
  }));
  await writeFile(join(folder, "native/pg-symlinks.json"), JSON.stringify(links));

  await Promise.all([createMissingLinks(folder), createMissingLinks(folder), createMissingLinks(folder)]);

  expect(await readlink(join(folder, "native/lib/libpq.so"))).toBe("libpq.so.5.18");
  expect(await readFile(join(folder, "native/lib/libpq.so.5"), "utf8")).toBe("the library");
});

it("accepts a package that lists no links", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-links-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await createMissingLinks(folder);
});
