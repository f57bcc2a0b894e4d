import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createScratchFolder, hasSandbox, type ScratchFolder } from "../testing.ts";
import { detectSandbox } from "./find-sandbox.ts";

let folder: ScratchFolder;
beforeEach(async () => {
  folder = await createScratchFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const bubblewrap = async (script: string) => {
  await writeFile(join(folder.path, "bwrap"), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder.path, "bwrap"), 0o755);
};

it("[TRUST 18] reports the sandbox as missing, and what to install, if bubblewrap is not found", async () => {
  expect(await detectSandbox([folder.path])).toEqual({
    kind: "missing",
    message: expect.stringContaining("Install bubblewrap"),
  });
});

it("reports why bubblewrap is no sandbox if it is too old or cannot create namespaces", async () => {
  await bubblewrap("echo bubblewrap 0.7.0");
  expect(await detectSandbox([folder.path])).toMatchObject({ message: expect.stringContaining("too old") });
  await bubblewrap("echo what");
  expect(await detectSandbox([folder.path])).toMatchObject({ message: expect.stringContaining("too old") });
  await bubblewrap('[ "$1" = --version ] && echo bubblewrap 0.9.0');
  expect(await detectSandbox([folder.path])).toMatchObject({
    message: expect.stringContaining("namespaces"),
  });
});

it.runIf(hasSandbox)("reports the version of a working bubblewrap", async () => {
  expect(await detectSandbox()).toMatchObject({
    kind: "there",
    version: expect.stringMatching(/^\d+\.\d+/),
  });
});
