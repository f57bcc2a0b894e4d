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
  it("metacharacters and Unicode in a name have no special meaning", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    for (const name of odd) {
      await performCapability(fixture.write, { path: `${name}/${name}`, content: name, createFolders: true });
      expect(await performCapability(fixture.read, { path: `${name}/${name}` })).toMatchObject({
        content: name,
      });
    }
    const { entries } = await performCapability(fixture.list, {});
    expect(entries.map((entry: { name: string }) => entry.name)).toEqual([...odd].sort());
  });

  it("no string leads outside the root", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.outside, "b"));
    await writeFile(join(fixture.outside, "secret"), "outside-secret");
    await writeFile(join(fixture.outside, "b/secret"), "outside-secret");
    // Every run recreates the tree, because a run may move or delete what the next one needs.
    const plant = async () => {
      await rm(fixture.root, { recursive: true });
      await mkdir(join(fixture.root, "a/b"), { recursive: true });
      await symlink(fixture.outside, join(fixture.root, "link"));
      await symlink("../../../outside", join(fixture.root, "a/b/up"));
      await symlink(join(fixture.outside, "secret"), join(fixture.root, "a/leaf"));
      await writeFile(join(fixture.root, "inside"), "inside");
    };
    const secret = hashBytes(Buffer.from("outside-secret"));
    const before = await snapshotFolder(fixture.outside);

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
      fixture.outside,
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
        await note(performCapability(fixture.read, { path: where }));
        await note(performCapability(fixture.list, { path: where }));
        // The test skips the preview here, because apply must not depend on the preview's checks.
        await note(
          performCapability(
            fixture.write,
            { path: where, content: "fuzz", createFolders },
            { basis: { kind: "absent", sha256: null } },
          ),
        );
        await note(performCapability(fixture.write, { path: where, content: "fuzz again", createFolders }));
        // The test applies each operation with the bases that a preview could return, and then runs it with a preview.
        const [none, some] = [
          { kind: "absent", mark: null },
          { kind: "file", mark: secret },
        ];
        await note(
          performCapability(fixture.mkdir, { path: where, parents: createFolders }, { basis: none }),
        );
        for (const basis of [{ from: some, to: none }, undefined]) {
          const given = basis && { basis };
          await note(performCapability(fixture.copy, { from: where, to: "taken", createFolders }, given));
          await note(performCapability(fixture.copy, { from: "inside", to: where, createFolders }, given));
          await note(performCapability(fixture.move, { from: where, to: "taken", createFolders }, given));
          await note(performCapability(fixture.move, { from: "inside", to: where, createFolders }, given));
        }
        await note(performCapability(fixture.delete, { path: where, emptyFolders: 9 }, { basis: some }));
        await note(performCapability(fixture.delete, { path: where, recursive: true, emptyFolders: 9 }));
        expect(seen).not.toContain("outside-secret");
      }),
      { numRuns: 400 },
    );
    expect(await snapshotFolder(fixture.outside)).toBe(before);
  });
});
