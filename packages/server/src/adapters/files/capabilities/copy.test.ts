import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createFilesFixture,
  createTestContext,
  makeFifo,
  parseTestInput,
  performCapability,
  raceFreeModes,
  readFault,
  snapshotFolder,
} from "../testing.ts";

describe.each(raceFreeModes)("files.copy (race-free: %s)", (raceFree) => {
  it("[P3] shows what comes and from where, and changes nothing", async () => {
    await using there = await createFilesFixture({ raceFree });
    await writeFile(join(there.root, "a"), "four");
    const before = await snapshotFolder(there.root);
    const input = parseTestInput(there.copy, { from: "a", to: "n/b", createFolders: true });
    const { changes, basis } = await there.copy.preview!(input, createTestContext());
    expect(changes).toMatchObject([
      { kind: "create", target: "n", summary: "New folder" },
      { kind: "create", target: "n/b", summary: "New file, 4 bytes: a copy of `a`" },
    ]);
    expect(basis).toMatchObject({ from: { kind: "file" }, to: { kind: "absent" } });
    expect(await snapshotFolder(there.root)).toBe(before);
  });

  it("copies every byte and the mode without set-id bits, and leaves the original", async () => {
    await using there = await createFilesFixture({ raceFree });
    const bytes = Buffer.from([0, 255, 10, 13]);
    await writeFile(join(there.root, "a"), bytes);
    await chmod(join(there.root, "a"), 0o4750);
    await performCapability(there.copy, { from: "a", to: "b" });
    expect(await readFile(join(there.root, "b"))).toEqual(bytes);
    expect((await stat(join(there.root, "b"))).mode & 0o7777).toBe(0o750);
    expect((await stat(join(there.root, "a"))).mode & 0o7777).toBe(0o4750);
    expect((await readdir(there.root)).sort()).toEqual(["a", "b"]);
  });

  it("[P5] refuses when the source changed since the preview", async () => {
    await using there = await createFilesFixture({ raceFree });
    await writeFile(join(there.root, "a"), "x");
    const input = parseTestInput(there.copy, { from: "a", to: "n/b", createFolders: true });
    const { basis } = await there.copy.preview!(input, createTestContext());
    await writeFile(join(there.root, "a"), "y");
    expect(await readFault(there.copy.apply(input, createTestContext({ basis })))).toBe(
      "permanent basis-moved",
    );
    expect(await readdir(there.root)).toEqual(["a"]);
  });

  it("of many copies to one name exactly one succeeds, and no draft stays", async () => {
    await using there = await createFilesFixture({ raceFree });
    for (let i = 0; i < 20; i++) await writeFile(join(there.root, `f${i}`), `${i}`);
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        readFault(performCapability(there.copy, { from: `f${i}`, to: "to" }, { call: `call-${i}` })),
      ),
    );
    expect(ends.filter((end) => end === "no fault")).toHaveLength(1);
    expect(await readFile(join(there.root, "to"), "utf8")).toBe(`${ends.indexOf("no fault")}`);
    expect(await readdir(there.root)).toHaveLength(21);
  });

  it("refuses what exists, folders, links, special files, what is too large, and missing folders", async () => {
    await using there = await createFilesFixture({ raceFree, maxBytes: 10 });
    await mkdir(join(there.root, "d"));
    await writeFile(join(there.root, "a"), "x");
    await writeFile(join(there.root, "large"), "x".repeat(11));
    await symlink(there.outside, join(there.root, "link"));
    await symlink("nowhere", join(there.root, "dangling"));
    makeFifo(join(there.root, "fifo"));
    const before = [await snapshotFolder(there.root), await snapshotFolder(there.outside)];
    for (const [from, to, fault] of [
      ["a", "d", "exists"],
      ["a", "large", "exists"],
      ["a", "dangling", "exists"],
      ["a", "a", "into-itself"],
      ["d", "x", "not-a-file"],
      ["link", "x", "link-refused"],
      ["a", "link/x", "link-refused"],
      ["fifo", "x", "not-a-file"],
      ["large", "x", "too-large"],
      ["a", "n/x", "not-found"],
      ["none", "x", "not-found"],
    ]) {
      expect([from, to, await readFault(performCapability(there.copy, { from: from!, to: to! }))]).toEqual([
        from,
        to,
        `permanent ${fault}`,
      ]);
    }
    const stopped = { signal: AbortSignal.abort() };
    expect(await readFault(performCapability(there.copy, { from: "a", to: "b" }, stopped))).toBe(
      "not-performed stopped",
    );
    expect(await readFault(performCapability(there.copy, { from: "a", to: "b" }, { basis: undefined }))).toBe(
      "permanent basis-missing",
    );
    expect([await snapshotFolder(there.root), await snapshotFolder(there.outside)]).toEqual(before);
  });
});
