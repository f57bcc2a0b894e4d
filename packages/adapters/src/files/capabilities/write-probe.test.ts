import { mkdir, readdir, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDraftName } from "../drafts/draft-name.ts";
import { createFilesFixture, createTestContext, parseTestInput, raceFreeModes } from "../testing.ts";

describe.each(raceFreeModes)("[P7] files.write probe (race-free: %s)", (raceFree) => {
  async function scene(path = "f", before?: string) {
    const fixture = await createFilesFixture({ raceFree });
    const file = join(fixture.root, path);
    if (before !== undefined) await writeFile(file, before);
    const input = parseTestInput(fixture.write, { path, content: "wanted", createFolders: true });
    const { basis } = await fixture.write.preview!(input, createTestContext());
    const context = createTestContext({ basis, call: "mine", attempt: 2 });
    const disposed = () => fixture[Symbol.asyncDispose]();
    return {
      ...fixture,
      file,
      input,
      world: context,
      probe: () => fixture.write.probe!(input, context),
      [Symbol.asyncDispose]: disposed,
    };
  }

  it.each([
    ["a new file", undefined, true],
    ["a replaced file", "before", false],
  ])(
    "%s with the wanted content is present, without the data that undo needs",
    async (_, before, created) => {
      await using at = await scene("f", before);
      const output = (await at.write.apply(at.input, at.world)) as Record<string, unknown>;
      const { previous: _unknown, foldersMade: _unseen, ...known } = output;
      const found = await at.probe();
      expect(found).toEqual({ kind: "present", output: { ...known, created } });
      expect(at.write.parseOutput({ ...known, created }).kind).toBe("valid");
      expect(at.write.undo!(at.input, { ...known, created } as never)).toBeUndefined();
    },
  );

  it.each([
    ["nothing where there was nothing", "f", undefined],
    ["nothing where even the folder was missing", "a/b/f", undefined],
    ["the old content", "f", "before"],
  ])("%s is absent", async (_, path, before) => {
    await using at = await scene(path, before);
    expect(await at.probe()).toEqual({ kind: "absent" });
  });

  it("any other state is unsure", async () => {
    await using at = await scene("f", "before");
    await writeFile(at.file, "somebody else's");
    expect(await at.probe()).toEqual({ kind: "unsure" });
    await unlink(at.file);
    expect(await at.probe()).toEqual({ kind: "unsure" });
    await symlink(join(at.outside, "x"), at.file);
    expect(await at.probe()).toEqual({ kind: "unsure" });
    await unlink(at.file);
    await mkdir(at.file);
    expect(await at.probe()).toEqual({ kind: "unsure" });
    expect(await at.write.probe!(at.input, { ...at.world, basis: undefined })).toEqual({ kind: "unsure" });
  });

  it("a probe that answers `absent` removes the draft of an earlier attempt, which cannot write late", async () => {
    await using at = await scene();
    await writeFile(join(at.root, createDraftName("mine", 1)), "wanted");
    expect(await at.probe()).toEqual({ kind: "absent" });
    expect(await readdir(at.root)).toEqual([]);
  });
});
