import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createFilesFixture,
  createTestContext,
  parseTestInput,
  performCapability,
  raceFreeModes,
  readFault,
  snapshotFolder,
} from "../testing.ts";

const nothing = { kind: "absent", mark: null };

describe.each(raceFreeModes)("files.mkdir (race-free: %s)", (raceFree) => {
  it("[P3] previews every folder that it would create, and creates none", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "a"));
    const input = parseTestInput(fixture.mkdir, { path: "a/b/c", parents: true });
    expect(await fixture.mkdir.preview!(input, createTestContext())).toEqual({
      changes: [
        { kind: "create", target: "a/b", summary: "New folder" },
        { kind: "create", target: "a/b/c", summary: "New folder" },
      ],
      basis: nothing,
    });
    expect(await readdir(fixture.root, { recursive: true })).toEqual(["a"]);
  });

  it("creates the folder, and its missing parents only with `parents`", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    expect(await readFault(performCapability(fixture.mkdir, { path: "a/b" }))).toBe("permanent not-found");
    expect(await readFault(performCapability(fixture.mkdir, { path: "a/b" }, { basis: nothing }))).toBe(
      "permanent not-found",
    );
    expect(await readdir(fixture.root)).toEqual([]);
    expect(await performCapability(fixture.mkdir, { path: "a/b", parents: true })).toEqual({
      foldersMade: 1,
    });
    expect(await readdir(fixture.root, { recursive: true })).toEqual(["a", "a/b"]);
  });

  it("refuses existing paths, links in the path, the root, stopped calls and calls without a basis", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d"));
    await writeFile(join(fixture.root, "f"), "x");
    await symlink(fixture.outside, join(fixture.root, "link"));
    await symlink(join(fixture.outside, "new"), join(fixture.root, "dangling"));
    const before = [await snapshotFolder(fixture.root), await snapshotFolder(fixture.outside)];
    for (const [path, fault] of [
      ["d", "exists"],
      ["f", "exists"],
      ["link", "exists"],
      ["dangling", "exists"],
      ["link/x", "link-refused"],
      ["dangling/x", "link-refused"],
      ["f/x", "not-a-folder"],
      ["", "not-a-file"],
      ["../x", "path-outside-root"],
    ]) {
      const input = { path: path!, parents: true };
      expect([path, await readFault(performCapability(fixture.mkdir, input))]).toEqual([
        path,
        `permanent ${fault}`,
      ]);
      expect(await readFault(performCapability(fixture.mkdir, input, { basis: nothing }))).toBe(
        `permanent ${fault}`,
      );
    }
    const stopped = { signal: AbortSignal.abort() };
    expect(await readFault(performCapability(fixture.mkdir, { path: "n" }, stopped))).toBe(
      "not-performed stopped",
    );
    expect(await readFault(performCapability(fixture.mkdir, { path: "n" }, { basis: undefined }))).toBe(
      "permanent basis-missing",
    );
    expect([await snapshotFolder(fixture.root), await snapshotFolder(fixture.outside)]).toEqual(before);
  });

  it("exactly one of 20 concurrent calls succeeds", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const ends = await Promise.all(
      Array.from({ length: 20 }, () =>
        readFault(performCapability(fixture.mkdir, { path: "a/b", parents: true }, { basis: nothing })),
      ),
    );
    expect(ends.filter((end) => end === "no fault")).toHaveLength(1);
    expect(new Set(ends)).toEqual(new Set(["no fault", "permanent exists"]));
  });
});
