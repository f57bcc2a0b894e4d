import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDraftName } from "../drafts/draft-name.ts";
import { createFilesFixture, makeFifo, performCapability, raceFreeModes, readFault } from "../testing.ts";
import { maxListEntries } from "./list.ts";

describe.each(raceFreeModes)("files.list (race-free: %s)", (raceFree) => {
  it("lists the root unless told otherwise, sorted, with kinds and sizes", async () => {
    await using there = await createFilesFixture({ raceFree });
    await mkdir(join(there.root, "b"));
    await writeFile(join(there.root, "c.txt"), "12345");
    await symlink(there.outside, join(there.root, "a"));
    makeFifo(join(there.root, "d"));
    expect(await performCapability(there.list, {})).toEqual({
      entries: [
        { name: "a", kind: "link" },
        { name: "b", kind: "folder" },
        { name: "c.txt", kind: "file", bytes: 5 },
        { name: "d", kind: "other" },
      ],
      truncated: false,
    });
  });

  it("lists a folder further down, but no file and no link", async () => {
    await using there = await createFilesFixture({ raceFree });
    await mkdir(join(there.root, "a/b"), { recursive: true });
    await writeFile(join(there.root, "a/b/c"), "");
    await symlink(there.outside, join(there.root, "link"));
    expect((await performCapability(there.list, { path: "a//b/" })).entries).toEqual([
      { name: "c", kind: "file", bytes: 0 },
    ]);
    expect(await readFault(performCapability(there.list, { path: "a/b/c" }))).toBe("permanent not-a-folder");
    expect(await readFault(performCapability(there.list, { path: "link" }))).toBe("permanent link-refused");
    expect(await readFault(performCapability(there.list, { path: "none" }))).toBe("permanent not-found");
  });

  it("hides the drafts of writes under way, and only those", async () => {
    await using there = await createFilesFixture({ raceFree });
    await writeFile(join(there.root, createDraftName("call", 1)), "");
    await writeFile(join(there.root, ".paraph-call-2.tmp"), "");
    await writeFile(join(there.root, ".hidden"), "");
    expect((await performCapability(there.list, {})).entries).toEqual([
      { name: ".hidden", kind: "file", bytes: 0 },
    ]);
  });

  it("stops at its cap and says so", async () => {
    await using there = await createFilesFixture({ raceFree });
    const names = Array.from({ length: maxListEntries + 1 }, (_, i) => String(i).padStart(5, "0"));
    await Promise.all(names.map((name) => writeFile(join(there.root, name), "")));
    const { entries, truncated } = await performCapability(there.list, {});
    expect(truncated).toBe(true);
    expect(entries.map((entry: { name: string }) => entry.name)).toEqual(names.slice(0, maxListEntries));
  });
});
