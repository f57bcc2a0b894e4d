import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { CapabilityError } from "@paraph/core";
import { expect, it } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { parseTestInput } from "../testing.ts";
import { createTerminalFixture, perform, toShellInput, worldOf } from "./testing.ts";

/**
 * A program in another sandbox may replace folders with links, and Paraph must not follow them out of the workspace.
 */
it.runIf(hasSandbox)(
  "[TRUST 18] a folder swapped for a link is never followed out of the workspace",
  async () => {
    await using on = await createTerminalFixture();
    const canary = "nobody reads this";
    await writeFile(join(on.beside, "secret"), canary);
    await mkdir(join(on.workspace, "d"));
    await writeFile(join(on.workspace, "d", "own"), "own");
    await symlink(on.beside, join(on.workspace, "link"));
    const swapping = new Worker(swap, { eval: true, workerData: on.workspace });
    await once(swapping, "message");
    const seen: string[] = [];
    const snapshots = join(on.folder, ".paraph", "snapshots", "shell");
    const listKept = async () => (await readdir(snapshots, { recursive: true })).join();
    const ownHash = createHash("sha256").update("own").digest("hex");
    try {
      // The swapping thread may rest for long while `d` is a link or missing.
      for (let round = 0; round < 100 || !(await listKept()).includes(ownHash); round++) {
        const tried = on.run.preview!(parseTestInput(on.run, toShellInput("")), worldOf());
        const basis = await tried.then(({ basis }) => basis, ended);
        if (basis === undefined) continue;
        await on.run
          .apply(parseTestInput(on.run, { argv: ["true"] }), worldOf({ basis, signal: AbortSignal.abort() }))
          .catch(ended);
        seen.push(JSON.stringify(basis));
      }
    } finally {
      await swapping.terminate();
    }
    expect(seen.length).toBeGreaterThan(0);
    expect(await listKept()).not.toContain(createHash("sha256").update(canary).digest("hex"));
    expect((await perform(on.look, { argv: ["cat", "../beside/secret"] })).exitCode).not.toBe(0);
  },
);

/**
 * The script of a worker that swaps `d` as fast as possible. `d` is in turn a folder, missing, and a link to the
 * outside.
 */
const swap = `
  const { renameSync } = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  const move = (from, to) => renameSync(workerData + "/" + from, workerData + "/" + to);
  parentPort.postMessage("swapping");
  for (;;) { move("d", "e"); move("link", "d"); move("d", "link"); move("e", "d"); }`;

function ended(error: unknown): undefined {
  if (!(error instanceof CapabilityError)) throw error;
}
