import { renameSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Capability, Json } from "@paraph/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isDraft } from "./drafts/draft-name.ts";
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

/** The number of file system steps until the simulated process dies. The process performs no step after that. */
const life = vi.hoisted(() => ({ steps: Number.POSITIVE_INFINITY, after: (_step: string) => {} }));

vi.mock("node:fs/promises", async (importOriginal) => {
  const real = await importOriginal<Record<string, (...given: unknown[]) => unknown>>();
  const mortal = (name: string) => [
    name,
    async (...given: unknown[]) => {
      if (life.steps-- <= 0) throw new Error("the process died");
      const result = await real[name]!(...given);
      life.after(name);
      return result;
    },
  ];
  const changing = ["link", "mkdir", "rename", "rmdir", "unlink"];
  return { ...real, ...Object.fromEntries(changing.map(mortal)) };
});

afterEach(() => {
  life.steps = Number.POSITIVE_INFINITY;
  life.after = () => {};
});

type Operation = "write" | "move" | "delete" | "copy" | "mkdir";

const cases: [string, Operation, Json][] = [
  ["write of a new file in new folders", "write", { path: "n/m/f", content: "x", createFolders: true }],
  ["write over a file", "write", { path: "a.txt", content: "x" }],
  ["move of a file", "move", { from: "a.txt", to: "b.txt" }],
  ["move of a large file", "move", { from: "large", to: "b" }],
  ["move of a file into new folders", "move", { from: "a.txt", to: "n/m/b.txt", createFolders: true }],
  ["move of a file out of folders", "move", { from: "one/two/only", to: "b.txt", emptyFolders: 2 }],
  ["move of a folder", "move", { from: "d", to: "e" }],
  ["move of a folder into new folders", "move", { from: "d", to: "n/m/e", createFolders: true }],
  ["delete of a file", "delete", { path: "a.txt" }],
  ["delete of a large file", "delete", { path: "large" }],
  ["delete of a file and its folders", "delete", { path: "one/two/only", emptyFolders: 2 }],
  ["delete of an empty folder", "delete", { path: "empty" }],
  ["delete of a folder", "delete", { path: "d", recursive: true }],
  ["copy of a file", "copy", { from: "a.txt", to: "b.txt" }],
  ["copy of a file into new folders", "copy", { from: "a.txt", to: "n/m/b.txt", createFolders: true }],
  ["mkdir", "mkdir", { path: "n" }],
  ["mkdir with parents", "mkdir", { path: "n/m/o", parents: true }],
];

describe.each(raceFreeModes)("[P7] a crash before each step (race-free: %s)", (raceFree) => {
  it.each(cases)(
    "%s: the probe answers correctly, and the call ends as it would without a crash",
    async (_, operation, raw) => {
      const wanted = await whole(raceFree, operation, raw);
      let steps = 0;
      const answers = new Set<string>();
      for (; ; steps++) {
        await using fixture = await scene(raceFree);
        const capability = fixture[operation];
        const input = parseTestInput(capability, raw);
        const { basis } = await capability.preview!(input, createTestContext());
        life.steps = steps;
        await capability.apply(input, createTestContext({ basis })).catch(() => {});
        const died = life.steps < 0;
        life.steps = Number.POSITIVE_INFINITY;
        if (!died) break;
        const found = await capability.probe!(input, createTestContext({ basis, attempt: 1 }));
        answers.add(found.kind);
        if (found.kind === "absent") await capability.apply(input, createTestContext({ basis, attempt: 2 }));
        else if (found.kind === "present") expect(capability.parseOutput(found.output).kind).toBe("valid");
        expect(found.kind).not.toBe("unsure");
        expect(await snapshotFolder(fixture.root, false)).toBe(wanted);
        // After the recovery, a second probe reports that the effect is present.
        expect((await capability.probe!(input, createTestContext({ basis }))).kind).toBe("present");
      }
      expect(steps).toBeGreaterThan(0);
      expect(answers.has("absent")).toBe(true);
    },
  );
});

describe.each(raceFreeModes)(
  "[P7] a crash in the middle and a change by another program (race-free: %s)",
  (raceFree) => {
    async function crashed(fixture: FilesFixture, capability: Capability, raw: Json, steps: number) {
      const input = parseTestInput(capability, raw);
      const { basis } = await capability.preview!(input, createTestContext());
      life.steps = steps;
      await capability.apply(input, createTestContext({ basis })).catch(() => {});
      expect(life.steps).toBeLessThan(0);
      life.steps = Number.POSITIVE_INFINITY;
      return { probe: () => capability.probe!(input, createTestContext({ basis })), root: fixture.root };
    }

    it("a half-moved file that changed since gets its old name back, and the probe reports absent", async () => {
      await using fixture = await scene(raceFree);
      const at = await crashed(fixture, fixture.move, { from: "a.txt", to: "b.txt" }, 1);
      await writeFile(join(at.root, "b.txt"), "changed under either name");
      expect(await at.probe()).toEqual({ kind: "absent" });
      expect(await readdir(at.root)).not.toContain("b.txt");
      expect(await performCapability(fixture.read, { path: "a.txt" })).toMatchObject({
        content: "changed under either name",
      });
    });

    it("[P5] a new file that takes the old name between the two steps of a move is not removed", async () => {
      await using fixture = await scene(raceFree);
      const at = (path: string) => join(fixture.root, path);
      await writeFile(join(fixture.outside, "theirs"), "theirs");
      life.after = (step) => {
        if (step === "link") renameSync(join(fixture.outside, "theirs"), at("a.txt"));
      };
      expect(await readFault(performCapability(fixture.move, { from: "a.txt", to: "b.txt" }))).toBe(
        "ambiguous half-moved",
      );
      expect(await performCapability(fixture.read, { path: "a.txt" })).toMatchObject({ content: "theirs" });
      expect(await performCapability(fixture.read, { path: "b.txt" })).toMatchObject({
        content: "in a.txt\n",
      });
    });

    it("if a new file has the old name of a half-moved file, the probe reports unsure and changes nothing", async () => {
      await using fixture = await scene(raceFree);
      const at = await crashed(fixture, fixture.move, { from: "a.txt", to: "b.txt" }, 1);
      await fixture.write.apply(
        parseTestInput(fixture.write, { path: "a.txt", content: "new" }),
        createTestContext({ call: "other", basis: { kind: "file", sha256: await hashOf(fixture, "a.txt") } }),
      );
      const before = await snapshotFolder(at.root);
      expect(await at.probe()).toEqual({ kind: "unsure" });
      expect(await snapshotFolder(at.root)).toBe(before);
    });

    it("a set-aside folder that differs from the approved one is put back, and the probe reports absent", async () => {
      await using fixture = await scene(raceFree);
      const before = await snapshotFolder(fixture.root, false);
      const at = await crashed(fixture, fixture.delete, { path: "d", recursive: true }, 1);
      const [aside] = await draftsIn(at.root);
      await writeFile(join(at.root, aside!, "late"), "nobody approved this");
      expect(await at.probe()).toEqual({ kind: "absent" });
      expect(await performCapability(fixture.read, { path: "d/late" })).toMatchObject({
        content: "nobody approved this",
      });
      expect((await snapshotFolder(at.root, false)).length).toBeGreaterThan(before.length);
    });

    it.each(["file", "empty folder"])(
      "a set-aside folder whose path a new %s occupies is kept, and the probe reports unsure",
      async (kind) => {
        await using fixture = await scene(raceFree);
        const at = await crashed(fixture, fixture.delete, { path: "d", recursive: true }, 1);
        const [aside] = await draftsIn(at.root);
        await writeFile(join(at.root, aside!, "late"), "nobody approved this");
        await (kind === "file" ? writeFile(join(at.root, "d"), "new") : mkdir(join(at.root, "d")));
        expect(await at.probe()).toEqual({ kind: "unsure" });
        expect(await draftsIn(at.root)).toEqual([aside]);
      },
    );

    it("a new file at the path of a deleted folder stays, and the probe reports present", async () => {
      await using fixture = await scene(raceFree);
      const at = await crashed(fixture, fixture.delete, { path: "d", recursive: true }, 3);
      await writeFile(join(at.root, "d"), "new");
      expect(await at.probe()).toMatchObject({ kind: "present" });
      expect(await performCapability(fixture.read, { path: "d" })).toMatchObject({ content: "new" });
      expect(await draftsIn(at.root)).toEqual([]);
    });

    it.each<[string, Operation, Json, string]>([
      ["move", "move", { from: "a.txt", to: "b.txt" }, "b.txt"],
      ["copy", "copy", { from: "a.txt", to: "b.txt" }, "b.txt"],
      ["delete", "delete", { path: "a.txt" }, "a.txt"],
      ["mkdir", "mkdir", { path: "n" }, "n"],
    ])(
      "%s: a foreign file at the path stays, and the probe reports unsure",
      async (_, operation, raw, place) => {
        await using fixture = await scene(raceFree);
        const at = await crashed(fixture, fixture[operation], raw, 0);
        await writeFile(join(at.root, place), "somebody else's");
        expect(await at.probe()).toEqual({ kind: "unsure" });
        expect(await performCapability(fixture.read, { path: place })).toMatchObject({
          content: "somebody else's",
        });
        expect(await draftsIn(at.root)).toEqual([]);
      },
    );
  },
);

async function scene(raceFree: boolean): Promise<FilesFixture> {
  const fixture = await createFilesFixture({ raceFree, maxBytes: 1000 });
  for (const folder of ["d/sub/deep", "empty", "one/two"])
    await mkdir(join(fixture.root, folder), { recursive: true });
  for (const file of ["a.txt", "d/f", "d/sub/g", "d/sub/deep/h", "one/two/only"])
    await writeFile(join(fixture.root, file), `in ${file}\n`);
  await writeFile(join(fixture.root, "large"), Buffer.alloc(5000, "x"));
  await symlink("../../outside", join(fixture.root, "d/link"));
  await writeFile(join(fixture.outside, "kept"), "outside");
  return fixture;
}

/** Returns the content of the root after an operation without a crash. */
async function whole(raceFree: boolean, operation: Operation, raw: Json): Promise<string> {
  await using fixture = await scene(raceFree);
  await performCapability(fixture[operation], raw);
  expect(await draftsIn(fixture.root)).toEqual([]);
  expect(await readdir(fixture.outside)).toEqual(["kept"]);
  return await snapshotFolder(fixture.root, false);
}

async function draftsIn(root: string): Promise<string[]> {
  return (await readdir(root, { recursive: true })).filter((name) => isDraft(basename(name)));
}

async function hashOf(fixture: FilesFixture, path: string): Promise<string> {
  return (await performCapability(fixture.read, { path })).sha256;
}
