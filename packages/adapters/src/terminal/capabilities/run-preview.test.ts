import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasSandbox } from "../../process/testing.ts";
import { parseTestInput, readFault } from "../../testing.ts";
import {
  createTerminalFixture,
  perform,
  snapshotWorkspace,
  type TerminalFixture,
  toShellInput,
  worldOf,
} from "../testing.ts";

describe.runIf(hasSandbox)("the preview of terminal.run", () => {
  let on: TerminalFixture;
  beforeEach(async () => {
    on = await createTerminalFixture({ read: ["beside"] });
    await writeFile(join(on.workspace, "notes.txt"), "one\ntwo\n");
  });
  afterEach(() => on[Symbol.asyncDispose]());

  it("[P3] changes nothing and starts nothing", async () => {
    const before = snapshotWorkspace(on.folder, true);
    const preview = await on.run.preview!(parseTestInput(on.run, toShellInput("touch began")), worldOf());
    expect(snapshotWorkspace(on.folder, true)).toBe(before);
    expect(preview.basis).toEqual({ tree: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it("shows each argument exactly, the working folder, and what the program may access", async () => {
    const argv = ["echo", "a b", "$(id)", "\u202e", "\n"];
    const { changes } = await on.run.preview!(parseTestInput(on.run, { argv }), worldOf());
    expect(changes).toEqual([
      {
        kind: "run",
        target: "echo",
        summary: String.raw`runs "echo" "a b" "$(id)" "\u202e" "\n" in the workspace, without the network`,
        details: expect.objectContaining({
          argv,
          cwd: "",
          network: false,
          writes: [on.workspace],
          reads: [on.beside],
          environment: [],
          timeoutMs: 60_000,
          limits: { memoryMb: 2_048, fileMb: 256, openFiles: 1_024 },
        }),
      },
    ]);
  });

  it("[P5] uses names, modes and contents as its basis, and nothing else", async () => {
    const basis = async () =>
      (await on.run.preview!(parseTestInput(on.run, toShellInput("")), worldOf())).basis;
    const seen = new Set([JSON.stringify(await basis())]);
    const changes = [
      () => writeFile(join(on.workspace, "notes.txt"), "one\ntwo!"),
      () => writeFile(join(on.workspace, "new"), ""),
      () => mkdir(join(on.workspace, "folder")),
      () => symlink("/etc/shadow", join(on.workspace, "link")),
      () => perform(on.run, toShellInput("chmod 755 new")),
    ];
    for (const change of changes) {
      await change();
      seen.add(JSON.stringify(await basis()));
    }
    expect(seen.size).toBe(changes.length + 1);
    await writeFile(join(on.workspace, "new"), "");
    expect(seen).toContain(JSON.stringify(await basis()));
  });

  it.each([
    [{ argv: [] }, "argv"],
    [{ argv: "ls -l" }, "argv"],
    [{ argv: ["a\0b"] }, "argv"],
    [{ argv: ["\ud800"] }, "argv"],
    [{ argv: ["ls"], shell: true }, "shell"],
  ])("[P11] rejects the input %j", async (raw, field) => {
    expect(on.run.parseInput(raw)).toMatchObject({
      kind: "invalid",
      faults: [expect.stringContaining(field)],
    });
  });

  it("[TRUST 18] refuses a working folder outside of the workspace, and one that is not a folder", async () => {
    await symlink(on.beside, join(on.workspace, "way-out"));
    const fault = (cwd: string) =>
      readFault(on.run.preview!(parseTestInput(on.run, { argv: ["ls"], cwd }), worldOf()));
    for (const cwd of ["/etc", "a/../..", ".."])
      expect(await fault(cwd)).toBe("permanent path-outside-workspace");
    for (const cwd of ["missing", "notes.txt", "way-out"])
      expect(await fault(cwd)).toBe("permanent not-a-folder");
  });
});
