import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
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

describe.each(raceFreeModes)("files.move (race-free: %s)", (raceFree) => {
  const previewOf = (there: Awaited<ReturnType<typeof createFilesFixture>>, raw: object) =>
    there.move.preview!(parseTestInput(there.move, raw as never), createTestContext());

  it("[P3] previews the source, the destination and new folders, and changes nothing", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "four");
    const before = await snapshotFolder(fixture.root);
    const { changes, basis } = await previewOf(fixture, { from: "a", to: "n/m/b\nc", createFolders: true });
    expect(changes).toEqual([
      { kind: "create", target: "n", summary: "New folder" },
      { kind: "create", target: "n/m", summary: "New folder" },
      {
        kind: "move",
        target: "a",
        summary: "Moved to `n/m/b\\u{a}c`: file, 4 bytes",
        details: { to: "n/m/b\nc", bytes: 4 },
      },
    ]);
    expect(basis).toEqual({
      from: { kind: "file", mark: expect.any(String) },
      to: { kind: "absent", mark: null },
    });
    expect(await snapshotFolder(fixture.root)).toBe(before);
  });

  it("moves the same file, which keeps its inode number, mode and modification time", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "x");
    await chmod(join(fixture.root, "a"), 0o640);
    const before = await stat(join(fixture.root, "a"));
    expect(await performCapability(fixture.move, { from: "a", to: "b" })).toEqual({
      kind: "file",
      foldersMade: 0,
    });
    const { ino, mode, mtimeMs, nlink } = await stat(join(fixture.root, "b"));
    expect({ ino, mode, mtimeMs, nlink }).toEqual({
      ino: before.ino,
      mode: before.mode,
      mtimeMs: before.mtimeMs,
      nlink: 1,
    });
    expect(await readdir(fixture.root)).toEqual(["b"]);
  });

  it.each(["file", "folder", "empty folder", "link", "dangling link", "fifo", "other name of the file"])(
    "refuses an existing destination and leaves it unchanged: %s",
    async (kind) => {
      await using fixture = await createFilesFixture({ raceFree });
      const at = (path: string) => join(fixture.root, path);
      await writeFile(at("a"), "x");
      await mkdir(at("d"));
      await writeFile(at("d/f"), "x");
      if (kind === "file") await writeFile(at("to"), "theirs");
      if (kind.endsWith("folder")) await mkdir(at("to"));
      if (kind === "folder") await writeFile(at("to/f"), "theirs");
      if (kind === "link") await symlink(fixture.outside, at("to"));
      if (kind === "dangling link") await symlink("nowhere", at("to"));
      if (kind === "fifo") makeFifo(at("to"));
      if (kind === "other name of the file") await link(at("a"), at("to"));
      const before = await snapshotFolder(fixture.root);
      for (const from of ["a", "d"]) {
        expect(await readFault(performCapability(fixture.move, { from, to: "to" }))).toBe("permanent exists");
        // This skips the preview.
        const { basis } = await previewOf(fixture, { from, to: "free" });
        expect(await readFault(performCapability(fixture.move, { from, to: "to" }, { basis }))).toBe(
          "permanent exists",
        );
      }
      expect(await snapshotFolder(fixture.root)).toBe(before);
    },
  );

  /**
   * Returns a signal that runs the body after the last check. The adapter reads the signal for the second time at that
   * point.
   */
  function atTheLastMoment(body: () => void): AbortSignal {
    let asked = 0;
    return {
      get aborted() {
        if (++asked === 2) body();
        return false;
      },
    } as AbortSignal;
  }

  it("does not replace a destination that appears after the last check", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const at = (path: string) => join(fixture.root, path);
    await writeFile(at("a"), "mine");
    await mkdir(at("d"));
    const file = atTheLastMoment(() => writeFileSync(at("b"), "theirs"));
    expect(await readFault(performCapability(fixture.move, { from: "a", to: "b" }, { signal: file }))).toBe(
      "permanent exists",
    );
    const signal = atTheLastMoment(() => writeFileSync(at("e"), "theirs"));
    expect(await readFault(performCapability(fixture.move, { from: "d", to: "e" }, { signal }))).toBe(
      "permanent exists",
    );
    const full = atTheLastMoment(() => {
      mkdirSync(at("g"));
      writeFileSync(at("g/f"), "theirs");
    });
    expect(await readFault(performCapability(fixture.move, { from: "d", to: "g" }, { signal: full }))).toBe(
      "permanent exists",
    );
    expect((await readdir(fixture.root, { recursive: true })).sort()).toEqual([
      "a",
      "b",
      "d",
      "e",
      "g",
      "g/f",
    ]);
    expect(await readFile(at("b"), "utf8")).toBe("theirs");
  });

  it("[P5] does not move a file that changes after the last check", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const at = (path: string) => join(fixture.root, path);
    await writeFile(at("a"), "approved");
    const inPlace = atTheLastMoment(() => writeFileSync(at("a"), "theirs"));
    expect(
      await readFault(performCapability(fixture.move, { from: "a", to: "b" }, { signal: inPlace })),
    ).toBe("permanent basis-changed");
    await symlink(fixture.outside, at("link"));
    const swapped = atTheLastMoment(() => renameSync(at("link"), at("a")));
    expect(
      await readFault(performCapability(fixture.move, { from: "a", to: "b" }, { signal: swapped })),
    ).toBe(process.platform === "linux" ? "permanent link-refused" : "permanent basis-changed");
    expect(await readdir(fixture.root)).toEqual(["a"]);
  });

  it("[P5] refuses a source that changed or disappeared since the preview, and creates no folder", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d"));
    await writeFile(join(fixture.root, "a"), "x");
    for (const [from, change] of [
      ["a", () => writeFile(join(fixture.root, "a"), "y")],
      ["d", () => writeFile(join(fixture.root, "d/new"), "y")],
      ["a", async () => renameSync(join(fixture.root, "a"), join(fixture.root, "elsewhere"))],
    ] as const) {
      const input = { from, to: "n/b", createFolders: true };
      const { basis } = await previewOf(fixture, input);
      await change();
      expect(await readFault(performCapability(fixture.move, input, { basis }))).toBe(
        "permanent basis-changed",
      );
    }
    expect((await readdir(fixture.root)).sort()).toEqual(["d", "elsewhere"]);
  });

  it("refuses to move a file or folder into itself, the root, links, special files, and into missing folders", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d/sub"), { recursive: true });
    await writeFile(join(fixture.root, "a"), "x");
    await symlink(fixture.outside, join(fixture.root, "link"));
    makeFifo(join(fixture.root, "fifo"));
    const before = [await snapshotFolder(fixture.root), await snapshotFolder(fixture.outside)];
    for (const [from, to, fault] of [
      ["d", "d/sub/x", "into-itself"],
      ["d", "./d", "into-itself"],
      ["d", "d2/x", "not-found"],
      ["", "x", "not-a-file"],
      ["a", "", "not-a-file"],
      ["link", "x", "link-refused"],
      ["link/x", "x", "link-refused"],
      ["a", "link/x", "link-refused"],
      ["fifo", "x", "not-a-file"],
      ["none", "x", "not-found"],
      ["a", "../x", "path-outside-root"],
      ["a", "/x", "path-outside-root"],
      ["a", ".paraph-x-1.tmp", "path-reserved"],
      ["a", "a/x", "into-itself"],
    ]) {
      expect([from, to, await readFault(performCapability(fixture.move, { from: from!, to: to! }))]).toEqual([
        from,
        to,
        `permanent ${fault}`,
      ]);
    }
    expect([await snapshotFolder(fixture.root), await snapshotFolder(fixture.outside)]).toEqual(before);
  });

  it("exactly one of 20 concurrent moves to one name succeeds, and no file is lost", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    for (let i = 0; i < 20; i++) await writeFile(join(fixture.root, `f${i}`), `${i}`);
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        readFault(performCapability(fixture.move, { from: `f${i}`, to: "to" }, { call: `call-${i}` })),
      ),
    );
    expect(ends.filter((end) => end === "no fault")).toHaveLength(1);
    expect(new Set(ends)).toEqual(new Set(["no fault", "permanent exists"]));
    const contents = (await readdir(fixture.root)).map((name) => readFile(join(fixture.root, name), "utf8"));
    expect(new Set(await Promise.all(contents)).size).toBe(20);
  });

  it("a stopped call, or one without a basis, has no effect", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "x");
    const input = { from: "a", to: "n/b", createFolders: true };
    expect(await readFault(performCapability(fixture.move, input, { signal: AbortSignal.abort() }))).toBe(
      "not-performed stopped",
    );
    expect(await readFault(performCapability(fixture.move, input, { basis: undefined }))).toBe(
      "permanent basis-missing",
    );
    expect(await readdir(fixture.root)).toEqual(["a"]);
  });
});
