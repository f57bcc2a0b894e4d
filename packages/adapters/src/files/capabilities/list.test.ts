import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDraftName } from "../drafts/draft-name.ts";
import { createFilesFixture, makeFifo, performCapability, raceFreeModes, readFault } from "../testing.ts";
import { maxListEntries } from "./list.ts";

describe.each(raceFreeModes)("files.list (race-free: %s)", (raceFree) => {
  it("lists the root by default, sorted, with kinds and sizes", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "b"));
    await writeFile(join(fixture.root, "c.txt"), "12345");
    await symlink(fixture.outside, join(fixture.root, "a"));
    makeFifo(join(fixture.root, "d"));
    expect(await performCapability(fixture.list, {})).toEqual({
      entries: [
        { name: "a", kind: "link" },
        { name: "b", kind: "folder" },
        { name: "c.txt", kind: "file", bytes: 5 },
        { name: "d", kind: "other" },
      ],
      truncated: false,
    });
  });

  it("lists a nested folder, and rejects a file, a link and a missing path", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "a/b"), { recursive: true });
    await writeFile(join(fixture.root, "a/b/c"), "");
    await symlink(fixture.outside, join(fixture.root, "link"));
    expect((await performCapability(fixture.list, { path: "a//b/" })).entries).toEqual([
      { name: "c", kind: "file", bytes: 0 },
    ]);
    expect(await readFault(performCapability(fixture.list, { path: "a/b/c" }))).toBe(
      "permanent not-a-folder",
    );
    expect(await readFault(performCapability(fixture.list, { path: "link" }))).toBe("permanent link-refused");
    expect(await readFault(performCapability(fixture.list, { path: "none" }))).toBe("permanent not-found");
  });

  it("hides the drafts of unfinished writes, and no other hidden files", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, createDraftName("call", 1)), "");
    await writeFile(join(fixture.root, ".paraph-call-2.tmp"), "");
    await writeFile(join(fixture.root, ".hidden"), "");
    expect((await performCapability(fixture.list, {})).entries).toEqual([
      { name: ".hidden", kind: "file", bytes: 0 },
    ]);
  });

  it("stops at the maximum number of entries and reports the truncation", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const names = Array.from({ length: maxListEntries + 1 }, (_, i) => String(i).padStart(5, "0"));
    await Promise.all(names.map((name) => writeFile(join(fixture.root, name), "")));
    const { entries, truncated } = await performCapability(fixture.list, {});
    expect(truncated).toBe(true);
    expect(entries.map((entry: { name: string }) => entry.name)).toEqual(names.slice(0, maxListEntries));
  });
});
