import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { snapshotTree } from "../test-snapshot.ts";
import {
  createGitFixture,
  createTestContext,
  parseTestInput,
  performCapability,
  readFault,
  readWorktreeStatus,
} from "../testing.ts";

describe("commit", () => {
  it("[P3] preview, status and diff change no byte and no timestamp", async () => {
    await using fixture = await createGitFixture({ sandboxed: true });
    await fixture.write("a.txt", "changed\n");
    await fixture.write("new.txt", "new\n");
    const before = await snapshotTree(fixture.root);
    const preview = await fixture.capability("commit").preview!(
      { message: "Why", paths: ["."] },
      createTestContext(),
    );
    expect(preview.changes.map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      "update main",
      "update a.txt",
      "create new.txt",
    ]);
    expect(preview.changes[0]?.diff).toContain("+changed");
    await performCapability(fixture.capability("status"), {});
    await performCapability(fixture.capability("diff"), {});
    expect(await snapshotTree(fixture.root)).toBe(before);
  });

  it("commits the named files as they are, and leaves other staged or untracked files alone", async () => {
    await using fixture = await createGitFixture({ sandboxed: true });
    await fixture.write("a.txt", "changed\n");
    await fixture.write("docs/b.txt", "staged\n");
    fixture.git("add", "docs/b.txt");
    await fixture.write("docs/c.txt", "unknown\n");
    const author = { name: "Ana", email: "ana@example.org" };
    const done = await performCapability(fixture.capability("commit"), {
      message: "Subject\r\n\r\nBody  ",
      paths: ["a.txt"],
      author,
    });
    expect(done).toMatchObject({ branch: "main", behind: false });
    expect(fixture.git("log", "-1", "--format=%H|%an|%cn|%B")).toBe(
      `${done.commit}|Ana|Paraph|Subject\n\nBody\n`,
    );
    expect(fixture.git("show", "--format=", "--name-only", "HEAD")).toBe("a.txt");
    expect(readWorktreeStatus(fixture)).toBe("M  docs/b.txt\n?? docs/c.txt");
    expect(fixture.git("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("commits deletions, and its undo is a revert", async () => {
    await using fixture = await createGitFixture({ trailer: true });
    await rm(join(fixture.root, "docs/b.txt"));
    const done = await performCapability(
      fixture.capability("commit"),
      { message: "Gone\n\nSigned-off-by: x", paths: ["docs"] },
      { call: "call_7" },
    );
    expect(fixture.git("log", "-1", "--format=%B")).toBe("Gone\n\nSigned-off-by: x\nParaph-Call: call_7\n");
    const undo = fixture.capability("commit").undo!({}, done)!;
    expect(undo).toEqual({ capability: "git.revert", input: { commit: done.commit, branch: "main" } });
    await performCapability(fixture.capability("revert"), undo.input, { call: "call_8" });
    expect(await readFile(join(fixture.root, "docs/b.txt"), "utf8")).toBe("b\n");
    expect(readWorktreeStatus(fixture)).toBe("");
  });

  it("makes the first commit of a repository", async () => {
    await using fixture = await createGitFixture();
    fixture.git("checkout", "--quiet", "--orphan", "fresh");
    fixture.git("rm", "--quiet", "-r", "--cached", ".");
    const done = await performCapability(fixture.capability("commit"), {
      message: "First again",
      paths: ["a.txt"],
    });
    expect(done.parents).toEqual([]);
    expect(fixture.git("log", "--format=%s", "fresh")).toBe("First again");
  });

  it("[P5] refuses and commits nothing if a file or the branch changed after the preview", async () => {
    await using fixture = await createGitFixture();
    const commit = fixture.capability("commit");
    const input = parseTestInput(commit, { message: "m", paths: ["a.txt"] });
    await fixture.write("a.txt", "approved\n");
    const { basis } = await commit.preview!(input, createTestContext());
    await fixture.write("a.txt", "slipped in\n");
    expect(await readFault(commit.apply(input, createTestContext({ basis })))).toBe(
      "permanent basis-changed",
    );
    await fixture.write("a.txt", "approved\n");
    fixture.git("commit", "--quiet", "--allow-empty", "--message=Theirs");
    expect(await readFault(commit.apply(input, createTestContext({ basis })))).toBe(
      "permanent basis-changed",
    );
    expect(fixture.git("log", "-1", "--format=%s")).toBe("Theirs");
    expect(await readFault(commit.apply(input, createTestContext()))).toBe("permanent basis-missing");
  });

  it("refuses unchanged, missing, ignored, submodule and invalid paths and an empty message, each with a code", async () => {
    await using fixture = await createGitFixture();
    await fixture.write(".git/info/exclude", "*.ignored\n");
    await fixture.write("x.ignored", "x\n");
    await fixture.write("inner/file", "x\n");
    fixture.git("-C", "inner", "init", "--quiet");
    fixture.git("-C", "inner", "add", ".");
    fixture.git("-C", "inner", "commit", "--quiet", "--message=x");
    const fault = (path: string, message = "m") =>
      readFault(performCapability(fixture.capability("commit"), { message, paths: [path] }));
    expect(await fault("a.txt")).toBe("permanent nothing-to-commit");
    expect(await fault("nowhere")).toBe("permanent not-found");
    expect(await fault("x.ignored")).toBe("permanent ignored");
    expect(await fault("inner")).toBe("permanent submodule-refused");
    expect(await fault(".", " \n")).toBe("permanent message-invalid");
    for (const path of [
      "../x",
      "/etc/passwd",
      ".git/config",
      "docs/.GiT\u200c/hooks",
      "a\0b",
      "\ud800",
      "C:x",
    ])
      expect(await fault(path)).toBe("permanent path-invalid");
  });

  it("[TRUST 18] treats every file name literally", async () => {
    await using fixture = await createGitFixture();
    const names = [
      "-rf",
      "--output=x",
      "a\nb",
      "a\x1b[31m",
      ":(glob)*",
      "*",
      "a b",
      "é",
      "'\"$(x)`",
      "\u202e",
    ];
    for (const name of names) await fixture.write(name, `${JSON.stringify(name)}\n`);
    await performCapability(fixture.capability("commit"), { message: "--amend", paths: names });
    expect(readWorktreeStatus(fixture)).toBe("");
    const { files } = await performCapability(fixture.capability("diff"), {
      from: "HEAD~1",
      to: "HEAD",
      paths: names,
    });
    expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([...names].sort());
    expect((await performCapability(fixture.capability("log"), { paths: ["-rf"] })).commits).toHaveLength(1);
  });

  it("[TRUST 18] commits a link to a path outside the repository as a link", async () => {
    await using fixture = await createGitFixture();
    await symlink("/etc/passwd", join(fixture.root, "link"));
    await performCapability(fixture.capability("commit"), { message: "m", paths: ["link"] });
    expect(fixture.git("show", "HEAD:link")).toBe("/etc/passwd");
    expect(
      await readFault(performCapability(fixture.capability("commit"), { message: "m", paths: ["link/x"] })),
    ).toBe("permanent not-found");
  });
});
