import { chmod, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
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

describe.runIf(hasSandbox)("terminal.restore", () => {
  let on: TerminalFixture;
  let snapshots: string;
  beforeEach(async () => {
    on = await createTerminalFixture();
    snapshots = join(on.folder, ".paraph", "snapshots", "shell");
    await perform(
      on.run,
      toShellInput(
        "mkdir -p a/b; echo 1 > a/b/one; printf '\\0\\1' > data; ln -s data link; echo x > tool; chmod 755 tool",
      ),
    );
  });
  afterEach(() => on[Symbol.asyncDispose]());

  const undone = async (script: string) => {
    const before = snapshotWorkspace(on.workspace);
    const output = await perform(on.run, toShellInput(script));
    const left = snapshotWorkspace(on.workspace);
    const undo = on.run.undo!(parseTestInput(on.run, toShellInput(script)), output)!;
    expect(undo.capability).toBe("shell.restore");
    return { before, left, undo };
  };

  it.each([
    ["changed contents", "echo 2 >> a/b/one; printf x > data; echo y > tool"],
    ["new things", "mkdir -p new/er; echo 1 > new/er/file; ln -s / new/link; mkfifo new/pipe"],
    ["removed things", "rm -r a data link tool"],
    ["changed modes", "chmod 600 tool; chmod 700 a/b; chmod 444 data"],
    [
      "changed kinds",
      "rm -r a data link; echo f > a; mkdir -p data/in; echo x > data/in/it; mkdir link; ln -s x tool2",
    ],
    ["links that would lead out", "rm -r a; ln -s /etc a; rm link; ln -s /etc/passwd link"],
    ["names that are no text", "touch \"$(printf 'x\\377')\"; mv data \"$(printf '\\376')\""],
    ["folders that may not be written to", "chmod 555 a/b a"],
  ])("reverts %s, and the restore itself can be undone", async (_, script) => {
    const { before, left, undo } = await undone(script);
    const output = await perform(on.restore, undo.input);
    expect(snapshotWorkspace(on.workspace)).toBe(before);
    expect(output.changes.length).toBeGreaterThan(0);
    if (script.includes("mkfifo")) return;
    const redo = on.restore.undo!(parseTestInput(on.restore, undo.input), output)!;
    await perform(on.restore, redo.input);
    expect(snapshotWorkspace(on.workspace)).toBe(left);
  });

  it("[P3] previews what it would restore, and restores nothing yet", async () => {
    const { left, undo } = await undone("echo 2 >> a/b/one; touch new; rm tool");
    const { changes, basis } = await on.restore.preview!(parseTestInput(on.restore, undo.input), worldOf());
    expect(changes.map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      "update a/b/one",
      "delete new",
      "create tool",
    ]);
    expect(changes[0]!.diff).toContain("-2\n");
    expect(basis).toEqual({ tree: expect.any(String) });
    expect(snapshotWorkspace(on.workspace)).toBe(left);
  });

  it("[P5] refuses to restore if the workspace changed after the run, and keeps the later file", async () => {
    const { undo } = await undone("touch new");
    const input = parseTestInput(on.restore, undo.input);
    const { basis } = await on.restore.preview!(input, worldOf());
    await writeFile(join(on.workspace, "later"), "somebody's");
    expect(await readFault(on.restore.apply(input, worldOf({ basis })))).toBe("permanent basis-changed");
    expect(await readFault(on.restore.preview!(input, worldOf()))).toBe("permanent workspace-changed");
    expect(await readdir(on.workspace)).toContain("later");
  });

  it("[P7] its probe returns absent, present, or unsure if the workspace matches neither state", async () => {
    const { undo } = await undone("echo 2 > a/b/one; touch new");
    const input = parseTestInput(on.restore, undo.input);
    const { basis } = await on.restore.preview!(input, worldOf());
    const context = worldOf({ basis });
    expect(await on.restore.probe!(input, context)).toEqual({ kind: "absent" });
    await on.restore.apply(input, context);
    expect(await on.restore.probe!(input, context)).toMatchObject({
      kind: "present",
      output: { changes: [{ path: "a/b/one" }, { path: "new" }] },
    });
    await writeFile(join(on.workspace, "tool"), "else");
    expect(await on.restore.probe!(input, context)).toEqual({ kind: "unsure" });
  });

  it("[P8] a restore that fails halfway ends as ambiguous", async () => {
    const { undo } = await undone("rm -r a tool");
    const input = parseTestInput(on.restore, undo.input);
    const { basis } = await on.restore.preview!(input, worldOf());
    const objects = join(snapshots, "objects");
    for (const name of await readdir(objects)) await rm(join(objects, name), { recursive: true });
    expect(await readFault(on.restore.apply(input, worldOf({ basis })))).toBe("ambiguous restore-broken");
  });

  it("[TRUST 18] a snapshot name cannot reach a file outside the snapshots", async () => {
    for (const snapshot of ["../../x", "", "a/b", "a.json", "missing"]) {
      const fault = await readFault(on.restore.preview!(parseTestInput(on.restore, { snapshot }), worldOf()));
      expect(fault).toMatch(/^permanent snapshot-(?:gone|invalid)$/);
    }
  });

  it("a run that changed nothing has no undo and leaves no snapshot", async () => {
    const kept = async () => (await readdir(snapshots)).filter((name) => name.endsWith(".json"));
    const before = await kept();
    const output = await perform(on.run, toShellInput("cat data"));
    expect(on.run.undo!(parseTestInput(on.run, toShellInput("cat data")), output)).toBeUndefined();
    expect(await kept()).toEqual(before);
  });

  it("refuses to restore a named pipe that existed before the run", async () => {
    await perform(on.run, toShellInput("mkfifo pipe"));
    const { undo } = await undone("rm pipe");
    expect(await readFault(on.restore.preview!(parseTestInput(on.restore, undo.input), worldOf()))).toBe(
      "permanent not-restorable",
    );
  });

  it("keeps only the newest snapshots, and only the contents that they need", async () => {
    await using few = await createTerminalFixture({ snapshots: { keep: 2, days: 1 } });
    const folder = join(few.folder, ".paraph", "snapshots", "shell");
    const kept = async () => (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
    const contents = async () =>
      (await readdir(join(folder, "objects"), { recursive: true }).catch(() => [])).filter(
        (name) => name.length > 2,
      );
    for (const call of ["c1", "c2", "c3", "c4"]) {
      await perform(few.run, toShellInput(`echo ${call} > file`), { call });
      for (const name of await contents()) await utimes(join(folder, "objects", name), 0, 0);
    }
    expect(await kept()).toEqual(["c3.json", "c4.json"]);
    // The workspaces before c3 and c4 contain what c2 and c3 wrote.
    expect(await contents()).toHaveLength(2);
    await utimes(join(folder, "c3.json"), 0, 0);
    await perform(few.run, toShellInput("echo c5 > file"), { call: "c5" });
    expect(await kept()).toEqual(["c4.json", "c5.json"]);
    await perform(few.restore, { snapshot: "c5" });
    expect(await readFile(join(few.workspace, "file"), "utf8")).toBe("c4\n");
  });

  it("a sandboxed program cannot list the snapshots, and no snapshot is named after a link in the workspace", async () => {
    await symlink("/etc/shadow", join(on.workspace, "shadow"));
    await chmod(join(on.workspace, "tool"), 0o644);
    await perform(on.run, toShellInput("echo > tool"));
    const modes = await perform(on.look, { argv: ["ls", "-ld", snapshots] });
    expect(modes.exitCode).not.toBe(0);
    expect(JSON.stringify(await readdir(snapshots))).not.toContain("shadow");
  });
});
