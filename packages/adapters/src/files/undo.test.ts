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

describe.each(raceFreeModes)("undo as an ordinary call (race-free: %s)", (raceFree) => {
  it.each(undoable)(
    "%s: undo restores every name and byte, and an undo of the undo restores the change",
    async (_, operation, raw) => {
      await using fixture = await scene(raceFree);
      const before = await snapshotFolder(fixture.root, false);
      const undo = await done(fixture, operation, raw);
      const after = await snapshotFolder(fixture.root, false);
      expect(after).not.toBe(before);

      const [undone, input] = capabilityOf(fixture, undo!);
      const forth = await done(fixture, undone, input);
      expect(await snapshotFolder(fixture.root, false)).toBe(before);
      // Deleting a folder has no undo. Every other undo has its own undo.
      if (operation === "mkdir") return expect(forth).toBeUndefined();
      await done(fixture, ...capabilityOf(fixture, forth!));
      expect(await snapshotFolder(fixture.root, false)).toBe(after);
    },
  );

  it.each<[string, Json]>([
    ["a folder", { path: "d", recursive: true }],
    ["an empty folder", { path: "empty" }],
    ["a file too large to read", { path: "large" }],
    ["a file too large to keep", { path: "medium" }],
  ])("a delete of %s has no undo, and its preview says so", async (_, raw) => {
    await using fixture = await scene(raceFree, maxPreviousBytes + 1);
    await writeFile(join(fixture.root, "medium"), Buffer.alloc(maxPreviousBytes + 1, "x"));
    await writeFile(join(fixture.root, "large"), Buffer.alloc(maxPreviousBytes + 2, "x"));
    const { changes } = await fixture.delete.preview!(
      parseTestInput(fixture.delete, raw),
      createTestContext(),
    );
    expect(changes[0]!.summary).toMatch(/cannot be undone/);
    expect(await done(fixture, "delete", raw)).toBeUndefined();
  });

  it("undo restores a deleted file of exactly 256 KiB", async () => {
    await using fixture = await scene(raceFree, 2 * maxPreviousBytes);
    await writeFile(join(fixture.root, "edge"), Buffer.alloc(maxPreviousBytes, 0));
    const undo = await done(fixture, "delete", { path: "edge" });
    await done(fixture, ...capabilityOf(fixture, undo!));
    expect(await readFile(join(fixture.root, "edge"))).toEqual(Buffer.alloc(maxPreviousBytes, 0));
  });

  it.each<[string, Operation, Json, string]>([
    ["written", "write", { path: "n", content: "mine" }, "n"],
    ["copied", "copy", { from: "a.txt", to: "n" }, "n"],
  ])("undo does not delete a file that was %s and changed since", async (_, operation, raw, path) => {
    await using fixture = await scene(raceFree);
    const undo = await done(fixture, operation, raw);
    await writeFile(join(fixture.root, path), "somebody's work");
    expect(await readFault(performCapability(fixture.delete, undo!.input))).toBe("permanent content-differs");
    expect(await readFile(join(fixture.root, path), "utf8")).toBe("somebody's work");
  });

  it.each<[string, Operation, Json]>([
    ["written over", "write", { path: "a.txt", content: "mine" }],
    ["deleted", "delete", { path: "a.txt" }],
  ])("undo does not overwrite a file that was %s and changed since", async (_, operation, raw) => {
    await using fixture = await scene(raceFree);
    const undo = await done(fixture, operation, raw);
    await writeFile(join(fixture.root, "a.txt"), "somebody's work");
    const { basis } = await fixture.write.preview!(
      parseTestInput(fixture.write, { path: "a.txt", content: "" }),
      createTestContext(),
    );
    const input = parseTestInput(fixture.write, undo!.input);
    expect(await readFault(fixture.write.preview!(input, createTestContext()))).toBe(
      "permanent content-differs",
    );
    expect(await readFault(fixture.write.apply(input, createTestContext({ basis })))).toBe(
      "permanent content-differs",
    );
    expect(await readFile(join(fixture.root, "a.txt"), "utf8")).toBe("somebody's work");
  });

  it("undo deletes neither a created folder that was filled since nor a parent folder with other files", async () => {
    await using fixture = await scene(raceFree);
    const undo = await done(fixture, "mkdir", { path: "n/m", parents: true });
    await writeFile(join(fixture.root, "n/theirs"), "");
    await writeFile(join(fixture.root, "n/m/theirs"), "");
    expect(await readFault(performCapability(fixture.delete, undo!.input))).toBe(
      "permanent folder-not-empty",
    );
    await performCapability(fixture.delete, { path: "n/m/theirs" });
    await performCapability(fixture.delete, undo!.input);
    expect(await snapshotFolder(join(fixture.root, "n"))).toMatch(/^\["theirs".*$/);
  });

  it("a copy into new folders has no undo after a second attempt, because its created folders are unknown", async () => {
    await using fixture = await scene(raceFree);
    const input = parseTestInput(fixture.copy, { from: "a.txt", to: "n/f", createFolders: true });
    const output = await performCapability(fixture.copy, input, { attempt: 2 });
    expect(fixture.copy.undo!(input, output)).toBeUndefined();
  });
});

async function done(fixture: FilesFixture, operation: Operation, raw: Json): Promise<Undo | undefined> {
  const capability = fixture[operation];
  const output = await performCapability(capability, raw);
  return capability.undo!(parseTestInput(capability, raw), output);
}

function capabilityOf(fixture: FilesFixture, { capability, input }: Undo): [Operation, Json] {
  const name = capability.replace("files.", "") as Operation;
  expect(fixture[name].contract.name).toBe(capability);
  return [name, input];
}

async function scene(raceFree: boolean, maxBytes = 1000): Promise<FilesFixture> {
  const fixture = await createFilesFixture({ raceFree, maxBytes });
  for (const folder of ["d/sub", "empty", "one/two"])
    await mkdir(join(fixture.root, folder), { recursive: true });
  for (const file of ["a.txt", "d/f", "d/sub/g", "one/two/only"])
    await writeFile(join(fixture.root, file), `in ${file}\n`);
  await writeFile(join(fixture.root, "d/bytes"), Buffer.from([0, 255, 13, 10, 1]));
  await writeFile(join(fixture.root, "large"), Buffer.alloc(5000, "x"));
  await symlink("../../outside", join(fixture.root, "d/link"));
  return fixture;
}
