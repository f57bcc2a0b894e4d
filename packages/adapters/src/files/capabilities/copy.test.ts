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
  it("[P3] the preview shows the new folder, the new file and its source, and changes nothing", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "four");
    const before = await snapshotFolder(fixture.root);
    const input = parseTestInput(fixture.copy, { from: "a", to: "n/b", createFolders: true });
    const { changes, basis } = await fixture.copy.preview!(input, createTestContext());
    expect(changes).toMatchObject([
      { kind: "create", target: "n", summary: "New folder" },
      { kind: "create", target: "n/b", summary: "New file, 4 bytes: a copy of `a`" },
    ]);
    expect(basis).toMatchObject({ from: { kind: "file" }, to: { kind: "absent" } });
    expect(await snapshotFolder(fixture.root)).toBe(before);
  });

  it("copies every byte and the mode without set-id bits, and leaves the original unchanged", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const bytes = Buffer.from([0, 255, 10, 13]);
    await writeFile(join(fixture.root, "a"), bytes);
    await chmod(join(fixture.root, "a"), 0o4750);
    await performCapability(fixture.copy, { from: "a", to: "b" });
    expect(await readFile(join(fixture.root, "b"))).toEqual(bytes);
    expect((await stat(join(fixture.root, "b"))).mode & 0o7777).toBe(0o750);
    expect((await stat(join(fixture.root, "a"))).mode & 0o7777).toBe(0o4750);
    expect((await readdir(fixture.root)).sort()).toEqual(["a", "b"]);
  });

  it("[P5] refuses when the source changed since the preview", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "x");
    const input = parseTestInput(fixture.copy, { from: "a", to: "n/b", createFolders: true });
    const { basis } = await fixture.copy.preview!(input, createTestContext());
    await writeFile(join(fixture.root, "a"), "y");
    expect(await readFault(fixture.copy.apply(input, createTestContext({ basis })))).toBe(
      "permanent basis-changed",
    );
    expect(await readdir(fixture.root)).toEqual(["a"]);
  });

  it("exactly one of 20 concurrent copies to one name succeeds, and no draft remains", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    for (let i = 0; i < 20; i++) await writeFile(join(fixture.root, `f${i}`), `${i}`);
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        readFault(performCapability(fixture.copy, { from: `f${i}`, to: "to" }, { call: `call-${i}` })),
      ),
    );
    expect(ends.filter((end) => end === "no fault")).toHaveLength(1);
    expect(await readFile(join(fixture.root, "to"), "utf8")).toBe(`${ends.indexOf("no fault")}`);
    expect(await readdir(fixture.root)).toHaveLength(21);
  });

  it("refuses existing targets, folders, links, special files, oversized files and missing folders", async () => {
    await using fixture = await createFilesFixture({ raceFree, maxBytes: 10 });
    await mkdir(join(fixture.root, "d"));
    await writeFile(join(fixture.root, "a"), "x");
    await writeFile(join(fixture.root, "large"), "x".repeat(11));
    await symlink(fixture.outside, join(fixture.root, "link"));
    await symlink("nowhere", join(fixture.root, "dangling"));
    makeFifo(join(fixture.root, "fifo"));
    const before = [await snapshotFolder(fixture.root), await snapshotFolder(fixture.outside)];
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
      expect([from, to, await readFault(performCapability(fixture.copy, { from: from!, to: to! }))]).toEqual([
        from,
        to,
        `permanent ${fault}`,
      ]);
    }
    const stopped = { signal: AbortSignal.abort() };
    expect(await readFault(performCapability(fixture.copy, { from: "a", to: "b" }, stopped))).toBe(
      "not-performed stopped",
    );
    expect(
      await readFault(performCapability(fixture.copy, { from: "a", to: "b" }, { basis: undefined })),
    ).toBe("permanent basis-missing");
    expect([await snapshotFolder(fixture.root), await snapshotFolder(fixture.outside)]).toEqual(before);
  });
});
