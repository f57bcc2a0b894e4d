import { writeFileSync } from "node:fs";
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDraftName } from "../drafts/draft-name.ts";
import {
  createFilesFixture,
  createTestContext,
  parseTestInput,
  performCapability,
  raceFreeModes,
  readFault,
  snapshotFolder,
} from "../testing.ts";
import { maxPreviousBytes } from "./write-apply.ts";

const nothing = { kind: "absent", sha256: null } as const;

describe.each(raceFreeModes)("files.write (race-free: %s)", (raceFree) => {
  it("creates a file, and its undo deletes the file with that hash", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const output = await performCapability(fixture.write, { path: "a.txt", content: "grüße" });
    expect(output).toEqual({
      bytes: 7,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      created: true,
      foldersMade: 0,
    });
    expect(await readFile(join(fixture.root, "a.txt"), "utf8")).toBe("grüße");
    expect(fixture.write.undo!({ path: "a.txt", content: "grüße" }, output)).toEqual({
      capability: "files.delete",
      input: { path: "a.txt", sha256: output.sha256 },
    });
    expect(await readdir(fixture.root)).toEqual(["a.txt"]);
  });

  it.each([
    ["text", Buffer.from("before\n")],
    ["binary", Buffer.from([0, 255, 1])],
  ])("overwrites %s, and its undo restores every byte", async (_, before) => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), before);
    const input = { path: "a", content: "after" };
    const output = await performCapability(fixture.write, input);
    expect(output.created).toBe(false);
    const undo = fixture.write.undo!(input, output)!;
    expect(undo.capability).toBe("files.write");
    await performCapability(fixture.write, undo.input);
    expect(await readFile(join(fixture.root, "a"))).toEqual(before);
  });

  it("keeps no previous content above 256 KiB, and offers no undo in that case", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    for (const [size, kept] of [
      [maxPreviousBytes, true],
      [maxPreviousBytes + 1, false],
    ] as const) {
      await writeFile(join(fixture.root, "a"), Buffer.alloc(size, "x"));
      const input = { path: "a", content: "after" };
      const output = await performCapability(fixture.write, input);
      expect(fixture.write.undo!(input, output) !== undefined).toBe(kept);
    }
  });

  it("writes base64 content as bytes", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await performCapability(fixture.write, { path: "a", content: "AP8B", encoding: "base64" });
    expect([...(await readFile(join(fixture.root, "a")))]).toEqual([0, 255, 1]);
  });

  it("keeps the mode of the file it replaces, without set-id bits", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "x");
    await chmod(join(fixture.root, "a"), 0o4751);
    await performCapability(fixture.write, { path: "a", content: "y" });
    expect((await stat(join(fixture.root, "a"))).mode & 0o7777).toBe(0o751);
  });

  it("creates a new file with the default mode", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "usual"), "");
    await performCapability(fixture.write, { path: "a", content: "" });
    expect((await stat(join(fixture.root, "a"))).mode).toBe((await stat(join(fixture.root, "usual"))).mode);
  });

  it("creates missing folders only with `createFolders`", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const input = { path: "a/b/c.txt", content: "x" };
    expect(await readFault(performCapability(fixture.write, input, { basis: nothing }))).toBe(
      "permanent not-found",
    );
    expect(await readdir(fixture.root)).toEqual([]);
    await performCapability(fixture.write, { ...input, createFolders: true });
    expect(await readFile(join(fixture.root, "a/b/c.txt"), "utf8")).toBe("x");
  });

  it("[P5] refuses to write if the file was changed, created or deleted since the preview", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const file = join(fixture.root, "a/f");
    await mkdir(join(fixture.root, "a"));
    const input = parseTestInput(fixture.write, { path: "a/f", content: "mine", createFolders: true });
    const basis = async () => (await fixture.write.preview!(input, createTestContext())).basis;
    const apply = (world: object) => readFault(fixture.write.apply(input, createTestContext(world)));

    const absent = await basis();
    await writeFile(file, "theirs");
    expect(await apply({ basis: absent })).toBe("permanent basis-changed");
    const theirs = await basis();
    await writeFile(file, "theirs again");
    expect(await apply({ basis: theirs })).toBe("permanent basis-changed");
    expect(await readFile(file, "utf8")).toBe("theirs again");
    await rm(join(fixture.root, "a"), { recursive: true });
    expect(await apply({ basis: theirs })).toBe("permanent basis-changed");
    expect(await readdir(fixture.root)).toEqual([]);
  });

  it("[P5] detects a change of the file while it prepares the draft, and leaves no draft", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const file = join(fixture.root, "f");
    await writeFile(file, "old");
    const input = parseTestInput(fixture.write, { path: "f", content: "mine" });
    const { basis } = await fixture.write.preview!(input, createTestContext());
    // The adapter reads the call's id to name the draft, which happens between the two checks.
    const world = Object.defineProperty(createTestContext({ basis }), "call", {
      get: () => {
        writeFileSync(file, "theirs");
        return "mine";
      },
    });
    expect(await readFault(fixture.write.apply(input, world))).toBe("permanent basis-changed");
    expect(await readFile(file, "utf8")).toBe("theirs");
    expect(await readdir(fixture.root)).toEqual(["f"]);
  });

  it("[P7] refuses to write without a basis", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const basis = undefined;
    expect(await readFault(performCapability(fixture.write, { path: "a", content: "" }, { basis }))).toBe(
      "permanent basis-missing",
    );
    expect(await readdir(fixture.root)).toEqual([]);
  });

  it("exactly one of 20 concurrent creations succeeds, and no draft remains", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        readFault(
          performCapability(
            fixture.write,
            { path: "a", content: `${i}` },
            { basis: nothing, call: `call-${i}` },
          ),
        ),
      ),
    );
    expect(ends.filter((end) => end === "no fault")).toHaveLength(1);
    expect(new Set(ends)).toEqual(new Set(["no fault", "permanent basis-changed"]));
    expect(await readFile(join(fixture.root, "a"), "utf8")).toBe(`${ends.indexOf("no fault")}`);
    expect(await readdir(fixture.root)).toEqual(["a"]);
  });

  it("a reader never sees a partly written file", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const bodies = ["a", "b"].map((letter) => letter.repeat(500_000));
    await writeFile(join(fixture.root, "f"), bodies[0]!);
    const seen = new Set<string>();
    const faults = new Set<string>();
    let writing = true;
    const reader = (async () => {
      const readOnce = async () => seen.add((await performCapability(fixture.read, { path: "f" })).content);
      while (writing) faults.add(await readFault(readOnce()));
    })();
    // The reader may be too slow to see both contents in 20 writes.
    for (let i = 1; i < 20 || seen.size < 2; i++)
      await performCapability(fixture.write, { path: "f", content: bodies[i % 2]! });
    writing = false;
    await reader;
    expect([...seen].every((body) => bodies.includes(body)) && seen.size).toBe(2);
    // Without race-free mode, the adapter may report that the file was replaced while it was opened. A retry may
    // succeed.
    faults.delete("no fault");
    expect([...faults].every((fault) => !raceFree && fault === "not-performed busy")).toBe(true);
  });

  it("does not write unchanged content again", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "same");
    const before = await snapshotFolder(fixture.root);
    const output = await performCapability(fixture.write, { path: "a", content: "same" });
    expect(output).toMatchObject({ created: false });
    expect(output).not.toHaveProperty("previous");
    expect(await snapshotFolder(fixture.root)).toBe(before);
  });

  it("a stopped call has no effect", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const input = { path: "a/b", content: "x", createFolders: true };
    const signal = AbortSignal.abort();
    expect(await readFault(performCapability(fixture.write, input, { signal, basis: nothing }))).toBe(
      "not-performed stopped",
    );
    expect(await readdir(fixture.root)).toEqual([]);
  });

  it("a call that is stopped while it prepares the draft has no effect and leaves no draft", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    // The adapter reads the signal twice, at the start and right before the effect. This signal aborts in between.
    let asked = 0;
    const signal = {
      get aborted() {
        return ++asked > 1;
      },
    } as AbortSignal;
    const world = { signal, basis: nothing };
    expect(await readFault(performCapability(fixture.write, { path: "a", content: "x" }, world))).toBe(
      "not-performed stopped",
    );
    expect(asked).toBe(2);
    expect(await readdir(fixture.root)).toEqual([]);
  });

  it("removes the drafts of a crashed attempt of the same call, and no other call's draft", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const theirs = createDraftName("other", 1);
    for (const name of [createDraftName("mine", 1), ".paraph-mine-1.tmp", theirs])
      await writeFile(join(fixture.root, name), "half");
    await performCapability(fixture.write, { path: "a", content: "x" }, { call: "mine", attempt: 2 });
    expect((await readdir(fixture.root)).sort()).toEqual([theirs, "a"].sort());
  });

  it("[TRUST 18] refuses to write through a link or to a link", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.outside, "secret"), "outside");
    await symlink(fixture.outside, join(fixture.root, "folder"));
    await symlink(join(fixture.outside, "secret"), join(fixture.root, "file"));
    await symlink(join(fixture.outside, "new"), join(fixture.root, "dangling"));
    const before = await snapshotFolder(fixture.outside);
    for (const path of ["folder/secret", "folder/new", "folder/a/b", "file", "dangling"]) {
      const input = { path, content: "x", createFolders: true };
      expect(await readFault(performCapability(fixture.write, input, { basis: nothing }))).toBe(
        "permanent link-refused",
      );
    }
    expect(await snapshotFolder(fixture.outside)).toBe(before);
  });

  it("replaces one name of a hard link and leaves the other unchanged", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.outside, "kept"), "old");
    await link(join(fixture.outside, "kept"), join(fixture.root, "a"));
    await performCapability(fixture.write, { path: "a", content: "new" });
    expect(await readFile(join(fixture.outside, "kept"), "utf8")).toBe("old");
  });
});
