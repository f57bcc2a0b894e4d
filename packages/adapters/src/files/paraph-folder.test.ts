import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { findStateHome } from "../../../server/src/start/local-record.ts";
import { isParaphFolder } from "../paraph-folder.ts";
import { createFilesCapabilities } from "./index.ts";
import { createFilesFixture, createTestContext } from "./testing.ts";

describe("[TRUST 12] an agent cannot reach the keys that would let it approve its own calls", () => {
  async function withKeys() {
    const fixture = await createFilesFixture();
    for (const folder of [".paraph", "project/.paraph"]) {
      await mkdir(join(fixture.root, folder), { recursive: true });
      await writeFile(join(fixture.root, folder, "state.json"), "the owner's key");
    }
    return fixture;
  }

  it.each([
    ".paraph/state.json",
    "project/.paraph/state.json",
    ".PARAPH/state.json",
    ".paraph./state.json",
    ".paraph /state.json",
    ".par\u200caph/state.json",
    "\uff0eparaph/state.json",
    "./.paraph//state.json",
    ".paraph",
  ])("%s", async (path) => {
    await using place = await withKeys();
    const context = createTestContext();
    const other = "elsewhere";
    const attempts = [
      place.read.apply({ path }, context),
      place.list.apply({ path }, context),
      place.write.preview!({ path, content: "x", encoding: "utf8", createFolders: false }, context),
      place.move.preview!({ from: path, to: other, createFolders: false }, context),
      place.copy.preview!({ from: path, to: other, createFolders: false }, context),
      place.delete.preview!({ path, recursive: true }, context),
      place.mkdir.preview!({ path, parents: true }, context),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: "path-reserved" });
  });

  it("[TRUST 27] the person's key cannot be read if the root is the person's home", async () => {
    await using fixture = await createFilesFixture();
    const path = relative(fixture.root, join(findStateHome({ HOME: fixture.root }), "folders/x.json"));
    await mkdir(join(fixture.root, dirname(path)), { recursive: true });
    await writeFile(join(fixture.root, path), "the owner's key");
    await expect(fixture.read.apply({ path }, createTestContext())).rejects.toMatchObject({
      code: "path-reserved",
    });
  });

  it("Paraph's folder is not listed, and a folder that contains it can be neither moved nor deleted", async () => {
    await using place = await withKeys();
    const context = createTestContext();
    expect(await place.list.apply({ path: "" }, context)).toMatchObject({ entries: [{ name: "project" }] });
    await expect(place.delete.preview!({ path: "project", recursive: true }, context)).rejects.toThrow(
      /own folder/,
    );
    await expect(
      place.move.preview!({ from: "project", to: "other", createFolders: false }, context),
    ).rejects.toThrow(/own folder/);
  });

  it("Paraph's folder cannot be a root", async () => {
    await using place = await withKeys();
    expect(() => createFilesCapabilities({ root: join(place.root, ".paraph") })).toThrow(/own folder/);
  });
});

it("[TRUST 12] Paraph detects its folder under every spelling that a file system may treat as equal", () => {
  const names = [".paraph", ".PARAPH", ".paraph.", ".paraph ", ".par\u200caph", "\uff0eparaph"];
  expect(names.filter((name) => !isParaphFolder(name))).toEqual([]);
  expect([".paraphs", "paraph", ".paraph-notes"].filter(isParaphFolder)).toEqual([]);
});
