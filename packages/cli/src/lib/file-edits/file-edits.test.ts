import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createWholeFileEdits } from "../../testing/whole-file-edits.ts";
import { type Disk, realDisk } from "./disk.ts";
import { applyEdits, buildFileEdit, openForEdit, previewFileEdit, undoEdits } from "./index.ts";

let folder: string;
let journal: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-edits-"));
  journal = join(folder, ".paraph", "edits");
  onTestFinished(() => rm(folder, { recursive: true }));
});

const at = (name: string) => join(folder, name);

/** Returns every file with its permissions, except the journal. */
async function tree(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = (await stat(path)).mode.toString(8);
    return [path, `${mode} ${entry.isFile() ? (await readFile(path)).toString("base64") : "/"}`];
  });
  const all = Object.entries(Object.fromEntries(await Promise.all(found)) as Record<string, string>);
  return Object.fromEntries(all.filter(([path]) => !path.includes(".paraph/") && !path.endsWith(".paraph")));
}

async function replacing(name: string, old: string, text: string) {
  const found = await openForEdit(at(name));
  const start = found.text.indexOf(old);
  return buildFileEdit(found, [{ start, end: start + old.length, text, place: "the place" }]);
}

it("changes only the given places, keeps permissions and links, and undo restores everything", async () => {
  await writeFile(at("real.json"), '\uFEFF{"a": 1,\r\n"b": "ü"}', { mode: 0o640 });
  await symlink(at("real.json"), at("linked.json"));
  const before = await tree();
  const created = buildFileEdit(await openForEdit(at("deep/er/new.json")), [
    { start: 0, end: 0, text: "{}\n", place: "all" },
  ]);
  await applyEdits(journal, [await replacing("linked.json", "1", "2"), created]);
  expect(await readFile(at("linked.json"), "utf8")).toBe('\uFEFF{"a": 2,\r\n"b": "ü"}');
  expect((await stat(at("real.json"))).mode & 0o777).toBe(0o640);
  expect((await stat(at("deep/er/new.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(journal, "0001", "0.original"))).mode & 0o777).toBe(0o600);
  expect((await stat(journal)).mode & 0o777).toBe(0o700);

  expect(await undoEdits(journal)).toEqual({
    restored: [at("real.json"), at("deep/er/new.json")],
    kept: [],
  });
  expect(await tree()).toEqual(before);
  expect(await undoEdits(journal)).toBeUndefined();
  expect(await readdir(journal)).toEqual([".gitignore"]);
});

it("undoes one set of edits at a time, the latest first", async () => {
  await writeFile(at("a"), "one");
  await applyEdits(journal, [await replacing("a", "one", "two")]);
  await applyEdits(journal, [await replacing("a", "two", "three")]);
  await undoEdits(journal);
  expect(await readFile(at("a"), "utf8")).toBe("two");
  await undoEdits(journal);
  expect(await readFile(at("a"), "utf8")).toBe("one");
});

it("writes nothing if a file changed after the edits were prepared", async () => {
  await writeFile(at("a"), "one");
  await writeFile(at("b"), "one");
  const edits = [await replacing("a", "one", "two"), await replacing("b", "one", "two")];
  await writeFile(at("b"), "other");
  await expect(applyEdits(journal, edits)).rejects.toMatchObject({ code: "file-changed" });
  expect(await readFile(at("a"), "utf8")).toBe("one");
});

it.each<[string, (path: string) => Promise<unknown>]>([
  ["its bytes", (path) => writeFile(path, "mine")],
  ["its permissions", (path) => chmod(path, 0o600)],
  ["its being there", (path) => rm(path)],
])(
  "refuses an undo if a file changed since (%s), names the file and its original, and changes no file",
  async (_, change) => {
    await writeFile(at("a"), "one", { mode: 0o644 });
    await writeFile(at("b"), "one", { mode: 0o644 });
    await applyEdits(journal, [await replacing("a", "one", "two"), await replacing("b", "one", "two")]);
    await change(at("a"));
    const refused = await undoEdits(journal).catch((error) => error);
    expect(refused).toMatchObject({ code: "file-changed" });
    const [, original = ""] = /the original of \S*a is kept in (\S+)/.exec(refused.message) ?? [];
    expect(await readFile(original, "utf8")).toBe("one");
    expect(refused.message).not.toContain(at("b"));
    expect(await readFile(at("b"), "utf8")).toBe("two");
    // After a manual repair, the rest can be undone.
    await writeFile(at("a"), "one");
    await chmod(at("a"), 0o644);
    await undoEdits(journal);
    expect(await readFile(at("b"), "utf8")).toBe("one");
  },
);

it("undo with `pieces` removes only its own text from a file that changed since, even after an interruption", async () => {
  const settings = '{\n  "starts": 1,\n  "a": { "x": 1 },\n  "b": { "x": 2 }\n}\n';
  await writeFile(at("a"), settings);
  await writeFile(at("b"), "one");
  const found = await openForEdit(at("a"));
  const pieces = ['{ "x": 1 }', '{ "x": 2 }'].map((old) => {
    const start = settings.indexOf(old);
    return { start, end: start + old.length, text: '{ "to": "us" }', place: "x" };
  });
  const isBack = async () => {
    expect(await readFile(at("a"), "utf8")).toBe(
      settings.replace('"starts": 1', '"starts": 2, "more": true'),
    );
    expect(await readFile(at("b"), "utf8")).toBe("one");
  };
  const change = async () => {
    await writeFile(at("a"), settings);
    await applyEdits(journal, [buildFileEdit(found, pieces), await replacing("b", "one", "two")]);
    const text = await readFile(at("a"), "utf8");
    await writeFile(at("a"), text.replace('"starts": 1', '"starts": 2, "more": true'));
  };
  await change();
  await expect(undoEdits(journal)).rejects.toMatchObject({ code: "file-changed" });
  let steps = 0;
  for (; await cutShort((disk) => undoEdits(journal, { disk, pieces: true }), steps); steps++) {
    await undoEdits(journal, { pieces: true });
    await isBack();
    await change();
  }
  expect(steps).toBeGreaterThan(5);
  await isBack();

  // If a piece is missing or occurs twice, the undo is ambiguous and must be rejected.
  await change();
  const now = await readFile(at("a"), "utf8");
  for (const unclear of [now.replace('"us"', '"them"'), now.replace("}\n}", '},\n "c": { "to": "us" }\n}')]) {
    await writeFile(at("a"), unclear);
    await expect(undoEdits(journal, { pieces: true })).rejects.toMatchObject({ code: "file-changed" });
    expect(await readFile(at("b"), "utf8")).toBe("two");
  }
});

it("previews only the edited pieces, in the form that the edit specifies", async () => {
  await writeFile(at("a"), '{\n  "token": "s3cret",\n  "x": 1\n}\n');
  const found = await openForEdit(at("a"));
  const start = found.text.indexOf("1");
  const shown = { before: "1", after: "•••" };
  const edit = buildFileEdit(found, [{ start, end: start + 1, text: "hidden", place: "x", shown }]);
  expect(previewFileEdit(edit)).toEqual({
    kind: "update",
    target: at("a"),
    diff: "@@ line 3 @@ x\n-1\n+•••\n",
  });
});

const touched = () => [at("a.json"), at("new/b.json")];

/**
 * Creates a disk whose operation number `step` never completes, so that no later operation starts. `ended` resolves
 * when that operation is reached.
 */
function endingAt(step: number) {
  const { promise, resolve } = Promise.withResolvers<true>();
  let left = step;
  const steps = Object.entries(realDisk).map(([name, act]) => [
    name,
    (...args: never[]) => {
      if (left-- !== 0) return (act as (...args: never[]) => Promise<void>)(...args);
      resolve(true);
      return new Promise(() => {});
    },
  ]);
  return { disk: Object.fromEntries(steps) as Disk, ended: promise };
}

async function cutShort(act: (disk: Disk) => Promise<unknown>, step: number): Promise<boolean> {
  const { disk, ended } = endingAt(step);
  return Promise.race([ended, act(disk).then(() => false)]);
}

it("an apply or undo that is interrupted before any of its steps can be undone completely", async () => {
  await writeFile(at("a.json"), "a", { mode: 0o640 });
  const before = await tree();
  const apply = async (disk?: Disk) => applyEdits(journal, await createWholeFileEdits(touched()), disk);
  let steps = 0;
  for (; await cutShort(apply, steps); steps++) {
    const isTouched = (await readFile(at("a.json"), "utf8")) !== "a";
    // A half-applied entry blocks the next one.
    if (isTouched) await expect(apply()).rejects.toMatchObject({ code: "edits-interrupted" });
    await undoEdits(journal);
    expect(await tree()).toEqual(before);
  }
  expect(steps).toBeGreaterThan(10);

  const after = await tree();
  for (steps = 0; await cutShort((disk) => undoEdits(journal, { disk }), steps); steps++) {
    await undoEdits(journal);
    expect(await tree()).toEqual(before);
    await apply();
    expect(await tree()).toEqual(after);
  }
  expect(steps).toBeGreaterThan(10);
  expect(await tree()).toEqual(before);
});

const killed = fileURLToPath(new URL("../../testing/killed-edits.ts", import.meta.url));

it.each([3, 7, 10])("an apply whose process is killed at step %i can be undone completely", async (step) => {
  await writeFile(at("a.json"), "a", { mode: 0o640 });
  const before = await tree();
  const args = ["--conditions=paraph-source", killed, journal, String(step), ...touched()];
  const signal = await new Promise((done) =>
    execFile(process.execPath, args, (error) => done(error?.signal)),
  );
  expect(signal).toBe("SIGKILL");
  await undoEdits(journal);
  expect(await tree()).toEqual(before);
});

it("follows a link in a path whose folder does not exist yet", async () => {
  await mkdir(at("kept"));
  await symlink(at("kept"), at("linked"));
  expect((await openForEdit(at("linked/deep/x.json"))).path).toBe(at("kept/deep/x.json"));
});
