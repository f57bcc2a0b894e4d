import { renameSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDraftName } from "../drafts/draft-name.ts";
import { maxTreeEntries } from "../entries/tree.ts";
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

describe.each(raceFreeModes)("files.delete (race-free: %s)", (raceFree) => {
  const previewOf = (there: Awaited<ReturnType<typeof createFilesFixture>>, raw: object) =>
    there.delete.preview!(parseTestInput(there.delete, raw as never), createTestContext());

  it("[P3] previews a text file's content as removed, changes nothing, and uses its hash as the basis", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "one\ntwo\n");
    const before = await snapshotFolder(fixture.root);
    const { changes, basis } = await previewOf(fixture, { path: "./a" });
    expect(changes).toMatchObject([
      { kind: "delete", target: "a", summary: "Deleted file, 8 bytes: undo writes its content back" },
    ]);
    expect(changes[0]!.diff).toBe("--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n");
    expect(basis).toEqual({ kind: "file", mark: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await snapshotFolder(fixture.root)).toBe(before);
  });

  it("previews the beginning of a long text, says so in the summary, and omits binary content", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "long"), "0123456\n".repeat(20_000));
    await writeFile(join(fixture.root, "line"), "é".repeat(100_000));
    await writeFile(join(fixture.root, "bytes"), Buffer.from([0, 1]));
    const [long] = (await previewOf(fixture, { path: "long" })).changes;
    expect(long!.summary).toMatch(/160000 bytes, of which the first 65536 characters are shown/);
    expect(long!.diff!.length).toBeLessThan(100_000);
    expect(long!.diff).toContain("@@ -1,8192 +0,0 @@");
    expect((await previewOf(fixture, { path: "line" })).changes[0]!.diff!.length).toBeLessThan(66_000);
    const [bytes] = (await previewOf(fixture, { path: "bytes" })).changes;
    expect(bytes!.summary).toMatch(/^Deleted binary file, 2 bytes/);
    expect(bytes).not.toHaveProperty("diff");
  });

  it("[TRUST 6] names everything that a folder holds", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d/sub"), { recursive: true });
    for (let i = 0; i < 150; i++) await writeFile(join(fixture.root, `d/sub/${i}`), "x");
    await symlink(fixture.outside, join(fixture.root, "d/link"));
    await writeFile(join(fixture.root, "d", createDraftName("other", 1)), "hidden");
    const [change] = (await previewOf(fixture, { path: "d", recursive: true })).changes;
    expect(change!.summary).toBe(
      "Deleted folder, holding 150 files, 1 folder, 1 link, 150 bytes; cannot be undone",
    );
    expect(change!.details).toMatchObject({ count: 152, bytes: 150 });
    const holds = change!.details!.holds as { path: string }[];
    expect(holds).toHaveLength(152);
    expect(holds[0]).toEqual({ path: "link", kind: "link" });
    expect(JSON.stringify(holds)).not.toContain(".paraph");
  });

  it("refuses a folder that is not empty without `recursive`, at apply too", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d"));
    await writeFile(join(fixture.root, "d/f"), "x");
    expect(await readFault(performCapability(fixture.delete, { path: "d" }))).toBe(
      "permanent folder-not-empty",
    );
    const { basis } = await previewOf(fixture, { path: "d", recursive: true });
    expect(await readFault(performCapability(fixture.delete, { path: "d" }, { basis }))).toBe(
      "permanent folder-not-empty",
    );
    expect(await readdir(join(fixture.root, "d"))).toEqual(["f"]);
  });

  it("deletes a folder with its links and leftover drafts, but not the targets of the links", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d/sub"), { recursive: true });
    await writeFile(join(fixture.outside, "kept"), "outside");
    await symlink(fixture.outside, join(fixture.root, "d/sub/folder"));
    await symlink(join(fixture.outside, "kept"), join(fixture.root, "d/file"));
    await writeFile(join(fixture.root, "d/sub", createDraftName("other", 1)), "left");
    const before = await snapshotFolder(fixture.outside);
    expect(await performCapability(fixture.delete, { path: "d", recursive: true })).toEqual({
      kind: "folder",
    });
    expect(await readdir(fixture.root)).toEqual([]);
    expect(await snapshotFolder(fixture.outside)).toBe(before);
  });

  it("[P5] the basis of a folder changes with the name, kind, size, content or depth of any entry", async () => {
    await using fixture = await createFilesFixture({ raceFree, maxBytes: 100 });
    const at = (path: string) => join(fixture.root, "d", path);
    await mkdir(at("sub"), { recursive: true });
    await writeFile(at("f"), "one");
    await writeFile(at("sub/large"), Buffer.alloc(500, "x"));
    const input = { path: "d", recursive: true };
    const changes: (() => Promise<unknown>)[] = [
      () => writeFile(at("f"), "two"),
      () => writeFile(at("sub/large"), Buffer.alloc(500, "y")),
      () => writeFile(at("sub/new"), ""),
      () => rm(at("sub/new")).then(() => mkdir(at("sub/new"))),
      () => rm(at("sub/new"), { recursive: true }).then(() => symlink("x", at("sub/new"))),
      () => rm(at("f")),
    ];
    for (const change of changes) {
      const { basis } = await previewOf(fixture, input);
      expect((await previewOf(fixture, input)).basis).toEqual(basis);
      await new Promise((resolve) => setTimeout(resolve, 15));
      await change();
      const before = await snapshotFolder(fixture.root);
      expect((await previewOf(fixture, input)).basis).not.toEqual(basis);
      expect(await readFault(performCapability(fixture.delete, input, { basis }))).toBe(
        "permanent basis-changed",
      );
      expect(await snapshotFolder(fixture.root)).toBe(before);
    }
  });

  it.each([
    ["a file", "f", "f"],
    ["a folder", "d", "d/late"],
  ])("[P5] detects a change to %s after the last check, and deletes nothing", async (_, path, changed) => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d"));
    await writeFile(join(fixture.root, "f"), "old");
    const { basis } = await previewOf(fixture, { path, recursive: true });
    // The adapter reads the call's id to name the draft. It does so after the last check, so the getter changes the
    // file at that time.
    const world = Object.defineProperty(createTestContext({ basis }), "call", {
      get: () => {
        writeFileSync(join(fixture.root, changed), "theirs");
        return "mine";
      },
    });
    const input = parseTestInput(fixture.delete, { path, recursive: true });
    expect(await readFault(fixture.delete.apply(input, world))).toBe("permanent basis-changed");
    expect(await readFile(join(fixture.root, changed), "utf8")).toBe("theirs");
    expect((await readdir(fixture.root)).sort()).toEqual(["d", "f"]);
  });

  it("[P5] puts back a link that replaced the file after the last check, and does not follow it", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.outside, "kept"), "outside");
    await writeFile(join(fixture.root, "f"), "old");
    await symlink(join(fixture.outside, "kept"), join(fixture.root, "link"));
    const { basis } = await previewOf(fixture, { path: "f" });
    const world = Object.defineProperty(createTestContext({ basis }), "call", {
      get: () => {
        try {
          renameSync(join(fixture.root, "link"), join(fixture.root, "f"));
        } catch {}
        return "mine";
      },
    });
    expect(await readFault(fixture.delete.apply(parseTestInput(fixture.delete, { path: "f" }), world))).toBe(
      "permanent link-refused",
    );
    expect(await readdir(fixture.root)).toEqual(["f"]);
    expect(await readFile(join(fixture.outside, "kept"), "utf8")).toBe("outside");
  });

  it("refuses links, special files, the root, drafts and missing paths", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await symlink(fixture.outside, join(fixture.root, "link"));
    makeFifo(join(fixture.root, "fifo"));
    await mkdir(join(fixture.root, "d"));
    makeFifo(join(fixture.root, "d/fifo"));
    const draft = createDraftName("other", 1);
    await writeFile(join(fixture.root, draft), "x");
    const before = await snapshotFolder(fixture.root);
    for (const [path, fault] of [
      ["link", "link-refused"],
      ["link/x", "link-refused"],
      ["fifo", "not-a-file"],
      ["d", "folder-refused"],
      ["", "not-a-file"],
      [".", "not-a-file"],
      [draft, "path-reserved"],
      ["none", "not-found"],
      ["none/x", "not-found"],
    ]) {
      expect(await readFault(performCapability(fixture.delete, { path: path!, recursive: true }))).toBe(
        `permanent ${fault}`,
      );
    }
    expect(await snapshotFolder(fixture.root)).toBe(before);
  });

  it("[P7] deletes nothing if the basis is missing or the call is stopped", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "x");
    expect(await readFault(performCapability(fixture.delete, { path: "a" }, { basis: undefined }))).toBe(
      "permanent basis-missing",
    );
    expect(
      await readFault(performCapability(fixture.delete, { path: "a" }, { signal: AbortSignal.abort() })),
    ).toBe("not-performed stopped");
    expect(await readdir(fixture.root)).toEqual(["a"]);
  });

  it("exactly one of 20 concurrent deletions succeeds", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "d"));
    await writeFile(join(fixture.root, "d/f"), "x");
    const { basis } = await previewOf(fixture, { path: "d", recursive: true });
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        readFault(
          performCapability(fixture.delete, { path: "d", recursive: true }, { basis, call: `call-${i}` }),
        ),
      ),
    );
    expect(ends.filter((end) => end === "no fault")).toHaveLength(1);
    expect(await readdir(fixture.root)).toEqual([]);
  });
});

it("files.delete refuses a folder with more than `maxTreeEntries` entries", async () => {
  await using fixture = await createFilesFixture();
  await mkdir(join(fixture.root, "d"));
  for (let i = 0; i <= maxTreeEntries; i++) writeFileSync(join(fixture.root, `d/${i}`), "");
  expect(await readFault(performCapability(fixture.delete, { path: "d", recursive: true }))).toBe(
    "permanent folder-refused",
  );
});
