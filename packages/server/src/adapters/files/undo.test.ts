import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json, Undo } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { maxPreviousBytes } from "./capabilities/write-apply.ts";
import {
  createFilesFixture,
  createTestContext,
  type FilesFixture,
  parseTestInput,
  performCapability,
  raceFreeModes,
  readFault,
  snapshotFolder,
} from "./testing.ts";

type Operation = "write" | "move" | "delete" | "copy" | "mkdir";

const undoable: [string, Operation, Json][] = [
  ["write of a new file", "write", { path: "n", content: "x" }],
  ["write of a new file in new folders", "write", { path: "d/n/m/f", content: "x", createFolders: true }],
  ["write over text", "write", { path: "a.txt", content: "x" }],
  ["write over bytes", "write", { path: "d/bytes", content: "x" }],
  ["move of a file", "move", { from: "a.txt", to: "d/b" }],
  ["move of a large file", "move", { from: "large", to: "b" }],
  ["move of a file into new folders", "move", { from: "a.txt", to: "n/m/b", createFolders: true }],
  ["move that leaves no folder", "move", { from: "one/two/only", to: "b", emptyFolders: 2 }],
  ["move of a folder", "move", { from: "d", to: "one/e" }],
  ["move of a folder into new folders", "move", { from: "d", to: "n/m/e", createFolders: true }],
  ["delete of text", "delete", { path: "a.txt" }],
  ["delete of bytes", "delete", { path: "d/bytes" }],
  ["delete that leaves no folder", "delete", { path: "one/two/only", emptyFolders: 2 }],
  ["copy", "copy", { from: "d/bytes", to: "b" }],
  ["copy into new folders", "copy", { from: "a.txt", to: "n/m/b", createFolders: true }],
  ["mkdir", "mkdir", { path: "n" }],
  ["mkdir with parents", "mkdir", { path: "n/m/o", parents: true }],
];

describe.each(raceFreeModes)("undo, a call like any other (race-free: %s)", (raceFree) => {
  it.each(undoable)(
    "%s: undone, every name and byte is as before; undone again, as after",
    async (_, operation, raw) => {
      await using there = await scene(raceFree);
      const before = await snapshotFolder(there.root, false);
      const back = await done(there, operation, raw);
      const after = await snapshotFolder(there.root, false);
      expect(after).not.toBe(before);

      const [undone, input] = capabilityOf(there, back!);
      const forth = await done(there, undone, input);
      expect(await snapshotFolder(there.root, false)).toBe(before);
      // Deleting a folder has no undo. Every other operation has one, which is also plain data.
      if (operation === "mkdir") return expect(forth).toBeUndefined();
      await done(there, ...capabilityOf(there, forth!));
      expect(await snapshotFolder(there.root, false)).toBe(after);
    },
  );

  it.each<[string, Json]>([
    ["a folder", { path: "d", recursive: true }],
    ["an empty folder", { path: "empty" }],
    ["a file too large to read", { path: "large" }],
    ["a file too large to keep", { path: "medium" }],
  ])("a delete of %s has none, and its preview says so", async (_, raw) => {
    await using there = await scene(raceFree, maxPreviousBytes + 1);
    await writeFile(join(there.root, "medium"), Buffer.alloc(maxPreviousBytes + 1, "x"));
    await writeFile(join(there.root, "large"), Buffer.alloc(maxPreviousBytes + 2, "x"));
    const { changes } = await there.delete.preview!(parseTestInput(there.delete, raw), createTestContext());
    expect(changes[0]!.summary).toMatch(/cannot be undone$/);
    expect(await done(there, "delete", raw)).toBeUndefined();
  });

  it("exactly 256 KiB are kept", async () => {
    await using there = await scene(raceFree, 2 * maxPreviousBytes);
    await writeFile(join(there.root, "edge"), Buffer.alloc(maxPreviousBytes, 0));
    const back = await done(there, "delete", { path: "edge" });
    await done(there, ...capabilityOf(there, back!));
    expect(await readFile(join(there.root, "edge"))).toEqual(Buffer.alloc(maxPreviousBytes, 0));
  });

  it.each<[string, Operation, Json, string]>([
    ["written", "write", { path: "n", content: "mine" }, "n"],
    ["copied", "copy", { from: "a.txt", to: "n" }, "n"],
  ])("a file %s and changed since is not deleted by undo", async (_, operation, raw, path) => {
    await using there = await scene(raceFree);
    const back = await done(there, operation, raw);
    await writeFile(join(there.root, path), "somebody's work");
    expect(await readFault(performCapability(there.delete, back!.input))).toBe("permanent content-differs");
    expect(await readFile(join(there.root, path), "utf8")).toBe("somebody's work");
  });

  it.each<[string, Operation, Json]>([
    ["written over", "write", { path: "a.txt", content: "mine" }],
    ["deleted", "delete", { path: "a.txt" }],
  ])("a file %s and changed since is not overwritten by undo", async (_, operation, raw) => {
    await using there = await scene(raceFree);
    const back = await done(there, operation, raw);
    await writeFile(join(there.root, "a.txt"), "somebody's work");
    const { basis } = await there.write.preview!(
      parseTestInput(there.write, { path: "a.txt", content: "" }),
      createTestContext(),
    );
    const input = parseTestInput(there.write, back!.input);
    expect(await readFault(there.write.preview!(input, createTestContext()))).toBe(
      "permanent content-differs",
    );
    expect(await readFault(there.write.apply(input, createTestContext({ basis })))).toBe(
      "permanent content-differs",
    );
    expect(await readFile(join(there.root, "a.txt"), "utf8")).toBe("somebody's work");
  });

  it("a folder made and filled since is not deleted by undo, nor are folders that others use", async () => {
    await using there = await scene(raceFree);
    const back = await done(there, "mkdir", { path: "n/m", parents: true });
    await writeFile(join(there.root, "n/theirs"), "");
    await writeFile(join(there.root, "n/m/theirs"), "");
    expect(await readFault(performCapability(there.delete, back!.input))).toBe("permanent folder-not-empty");
    await performCapability(there.delete, { path: "n/m/theirs" });
    await performCapability(there.delete, back!.input);
    expect(await snapshotFolder(join(there.root, "n"))).toMatch(/^\["theirs".*$/);
  });

  it("after a second attempt nobody knows which folders were made: no undo that would leave them", async () => {
    await using there = await scene(raceFree);
    const input = parseTestInput(there.copy, { from: "a.txt", to: "n/f", createFolders: true });
    const output = await performCapability(there.copy, input, { attempt: 2 });
    expect(there.copy.undo!(input, output)).toBeUndefined();
  });
});

async function done(there: FilesFixture, operation: Operation, raw: Json): Promise<Undo | undefined> {
  const capability = there[operation];
  const output = await performCapability(capability, raw);
  return capability.undo!(parseTestInput(capability, raw), output);
}

function capabilityOf(there: FilesFixture, { capability, input }: Undo): [Operation, Json] {
  const name = capability.replace("files.", "") as Operation;
  expect(there[name].contract.name).toBe(capability);
  return [name, input];
}

async function scene(raceFree: boolean, maxBytes = 1000): Promise<FilesFixture> {
  const there = await createFilesFixture({ raceFree, maxBytes });
  for (const folder of ["d/sub", "empty", "one/two"])
    await mkdir(join(there.root, folder), { recursive: true });
  for (const file of ["a.txt", "d/f", "d/sub/g", "one/two/only"])
    await writeFile(join(there.root, file), `in ${file}\n`);
  await writeFile(join(there.root, "d/bytes"), Buffer.from([0, 255, 13, 10, 1]));
  await writeFile(join(there.root, "large"), Buffer.alloc(5000, "x"));
  await symlink("../../outside", join(there.root, "d/link"));
  return there;
}
