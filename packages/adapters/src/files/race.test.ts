import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { CapabilityError } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { isDraft } from "./drafts/draft-name.ts";
import { createFilesFixture, type FilesFixture, performCapability, snapshotFolder } from "./testing.ts";

/**
 * Swaps entries as fast as a thread can. It moves the real entry away, puts a link to the outside in its place, and
 * then swaps both back. Sometimes it leaves the link longer, so that a call also meets a stable link. It removes the
 * entries that calls create in the meantime.
 */
const swapper = `
  const { renameSync, rmSync, symlinkSync } = require("node:fs");
  const { workerData, parentPort } = require("node:worker_threads");
  const [stop, count] = [workerData.stop, workerData.count].map((buffer) => new Int32Array(buffer));
  const until = (body) => { for (;;) try { return body(); } catch {} };
  const swap = ({ path, target }, wait) => {
    try { renameSync(path, path + ".aside"); } catch { return; } // deleted by a call, until another makes it again
    symlinkSync(target, path + ".link");
    until(() => (rmSync(path, { recursive: true, force: true }), renameSync(path + ".link", path)));
    if (wait) Atomics.wait(stop, 0, 0, 0.05);
    until(() => (rmSync(path, { recursive: true, force: true }), renameSync(path + ".aside", path)));
  };
  while (Atomics.load(stop, 0) === 0)
    for (const each of workerData.pairs) swap(each, (Atomics.add(count, 0, 1) + 1) % 7 === 0);
  parentPort.postMessage("stopped");
`;

describe.runIf(process.platform === "linux")(
  "[TRUST 18] a folder or file swapped for a link at any moment",
  () => {
    it("never leads any operation outside the root", async () => {
      await using fixture = await createFilesFixture();
      const pairs = await scene(fixture);
      const before = await snapshotFolder(fixture.outside);
      const [stop, count] = [new SharedArrayBuffer(4), new SharedArrayBuffer(4)];
      const worker = new Worker(swapper, { eval: true, workerData: { stop, count, pairs } });
      const stopped = new Promise<void>((resolve, reject) =>
        worker.once("message", () => resolve()).once("error", reject),
      );

      const ends = await hammer(fixture, new Int32Array(count));
      Atomics.store(new Int32Array(stop), 0, 1);
      Atomics.notify(new Int32Array(stop), 0);

      await stopped;
      expect(ends.leaks).toEqual([]);
      expect(await snapshotFolder(fixture.outside)).toBe(before);
      // If a folder disappears while a call opens its path, the file must not land in the parent folder. A draft may
      // remain there. A deletion leaves it if it staged a link and could not restore it to a name that was taken again.
      const names = (await readdir(fixture.root)).filter((name) => !isDraft(name));
      expect(names.filter((name) => name !== "leaf")).toEqual(["top"]);
    });
  },
);

/** Creates the same tree inside and outside, so that a path through the link would find its target. */
async function scene(fixture: FilesFixture): Promise<{ path: string; target: string }[]> {
  for (const [base, content] of [
    [fixture.root, "inside"],
    [fixture.outside, "outside-secret"],
  ] as const) {
    await mkdir(join(base, "top/deep"), { recursive: true });
    for (const file of ["top/f", "top/deep/f", "leaf"]) await writeFile(join(base, file), content);
    if (base === fixture.outside) await writeFile(join(base, "top/outside-secret"), "");
  }
  return ["top", "top/deep", "leaf"].map((path) => ({
    path: join(fixture.root, path),
    target: join(fixture.outside, path),
  }));
}

/** Repeats calls until the race has happened: many calls succeeded, some met the link, and many swaps took place. */
async function hammer(fixture: FilesFixture, swapCount: Int32Array) {
  const ends = { done: 0, refused: 0, leaks: [] as string[] };
  const attempt = async (body: () => Promise<unknown>) => {
    try {
      const output = JSON.stringify(await body());
      ends.done++;
      if (output.includes("outside-secret")) ends.leaks.push(output);
    } catch (error) {
      if (!(error instanceof CapabilityError)) throw error;
      if (error.code === "link-refused") ends.refused++;
    }
  };
  const remove = (path: string, call: string) =>
    performCapability(fixture.delete, { path, recursive: true }, { call });
  const lane = async (lane: number) => {
    for (let i = 0; ends.done < 1_000 || ends.refused < 20 || Atomics.load(swapCount, 0) <= 100; i++) {
      const call = `lane-${lane}-${i}`;
      const write = (path: string) =>
        performCapability(fixture.write, { path, content: `inside ${call}`, createFolders: true }, { call });
      await attempt(() => performCapability(fixture.read, { path: "top/deep/f" }));
      await attempt(() => performCapability(fixture.read, { path: "leaf" }));
      await attempt(() => performCapability(fixture.list, { path: "top" }));
      await attempt(() => write("top/f"));
      await attempt(() => write("leaf"));
      await attempt(() => write(`top/deep/new-${call}`));
      await attempt(() => write(`top/made-${call}/new`));
      await attempt(() =>
        performCapability(fixture.mkdir, { path: `top/deep/folder-${call}/in`, parents: true }, { call }),
      );
      await attempt(() =>
        performCapability(fixture.copy, { from: "leaf", to: `top/deep/copy-${call}` }, { call }),
      );
      await attempt(() =>
        performCapability(fixture.copy, { from: "top/deep/f", to: `top/copy-${call}` }, { call }),
      );
      await attempt(() =>
        performCapability(fixture.move, { from: `top/copy-${call}`, to: `top/deep/moved-${call}` }, { call }),
      );
      await attempt(() =>
        performCapability(fixture.move, { from: `top/made-${call}`, to: `top/deep/made-${call}` }, { call }),
      );
      await attempt(() => performCapability(fixture.delete, { path: `top/deep/moved-${call}` }, { call }));
      await attempt(() => remove(`top/deep/made-${call}`, call));
      await attempt(() => remove(`top/deep/folder-${call}`, call));
      // These paths are the swapped ones, and a link leads to the same tree outside.
      await attempt(() => performCapability(fixture.delete, { path: "top/deep/f" }, { call }));
      await attempt(() =>
        performCapability(fixture.write, { path: "top/deep/f", content: "inside" }, { call }),
      );
      if (i % 5 === 0) await attempt(() => remove("top/deep", call));
      await attempt(() => performCapability(fixture.delete, { path: "leaf" }, { call }));
      await attempt(() => write("leaf"));
    }
  };
  await Promise.all([1, 2, 3, 4].map(lane));
  return ends;
}
