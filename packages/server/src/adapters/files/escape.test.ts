import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashBytes } from "./entries/content.ts";
import {
  createFilesFixture,
  performCapability,
  raceFreeModes,
  readFault,
  snapshotFolder,
} from "./testing.ts";

const odd = [
  "$(touch x)",
  "`id`",
  "a;b",
  "a|b",
  "a&b",
  "*",
  "?",
  "-rf",
  "--",
  "~",
  "a b",
  "a\nb",
  "a\tb",
  "\\",
  "a\\..\\b",
  "%2e%2e%2f",
  "'\"",
  "\u001b[31m",
  "\u202egpj.exe",
  "é",
  "e\u0301",
  "日本語",
  "👩‍👩‍👧",
  "...",
];

describe.each(raceFreeModes)("[TRUST 18] paths (race-free: %s)", (raceFree) => {
  it("a name with metacharacters or Unicode is a name and nothing more", async () => {
    await using there = await createFilesFixture({ raceFree });
    for (const name of odd) {
      await performCapability(there.write, { path: `${name}/${name}`, content: name, createFolders: true });
      expect(await performCapability(there.read, { path: `${name}/${name}` })).toMatchObject({
        content: name,
      });
    }
    const { entries } = await performCapability(there.list, {});
    expect(entries.map((entry: { name: string }) => entry.name)).toEqual([...odd].sort());
  });

  it("no string leads outside the root", async () => {
    await using there = await createFilesFixture({ raceFree });
    await mkdir(join(there.outside, "b"));
    await writeFile(join(there.outside, "secret"), "outside-secret");
    await writeFile(join(there.outside, "b/secret"), "outside-secret");
    // Every run recreates the tree, because a run may move or delete what the next one needs.
    const plant = async () => {
      await rm(there.root, { recursive: true });
      await mkdir(join(there.root, "a/b"), { recursive: true });
      await symlink(there.outside, join(there.root, "link"));
      await symlink("../../../outside", join(there.root, "a/b/up"));
      await symlink(join(there.outside, "secret"), join(there.root, "a/leaf"));
      await writeFile(join(there.root, "inside"), "inside");
    };
    const secret = hashBytes(Buffer.from("outside-secret"));
    const before = await snapshotFolder(there.outside);

    const known = fc.constantFrom(
      "..",
      ".",
      "",
      "a",
      "b",
      "link",
      "up",
      "leaf",
      "secret",
      "outside",
      there.outside,
      "\0",
      "proc/self/root",
      ...odd,
    );
    const part = fc.oneof(
      { weight: 4, arbitrary: known },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
    );
    const path = fc
      .tuple(fc.boolean(), fc.array(part, { maxLength: 6 }))
      .map(([root, parts]) => (root ? "/" : "") + parts.join("/"));
    await fc.assert(
      fc.asyncProperty(path, fc.boolean(), async (where, createFolders) => {
        await plant();
        let seen = "";
        const note = async (body: Promise<unknown>) =>
          readFault(body.then((output) => (seen += JSON.stringify(output))));
        await note(performCapability(there.read, { path: where }));
        await note(performCapability(there.list, { path: where }));
        // This skips the preview, because apply must not depend on the preview's checks.
        await note(
          performCapability(
            there.write,
            { path: where, content: "fuzz", createFolders },
            { basis: { kind: "absent", sha256: null } },
          ),
        );
        await note(performCapability(there.write, { path: where, content: "fuzz again", createFolders }));
        // The test applies with every basis that a preview could return, and also previews.
        const [none, some] = [
          { kind: "absent", mark: null },
          { kind: "file", mark: secret },
        ];
        await note(performCapability(there.mkdir, { path: where, parents: createFolders }, { basis: none }));
        for (const basis of [{ from: some, to: none }, undefined]) {
          const given = basis && { basis };
          await note(performCapability(there.copy, { from: where, to: "taken", createFolders }, given));
          await note(performCapability(there.copy, { from: "inside", to: where, createFolders }, given));
          await note(performCapability(there.move, { from: where, to: "taken", createFolders }, given));
          await note(performCapability(there.move, { from: "inside", to: where, createFolders }, given));
        }
        await note(performCapability(there.delete, { path: where, emptyFolders: 9 }, { basis: some }));
        await note(performCapability(there.delete, { path: where, recursive: true, emptyFolders: 9 }));
        expect(seen).not.toContain("outside-secret");
      }),
      { numRuns: 400 },
    );
    expect(await snapshotFolder(there.outside)).toBe(before);
  });
});
