import { readFile, rm, stat, symlink, watch, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { snapshotTree } from "../test-snapshot.ts";
import {
  createFixtureWithSide,
  createGitFixture,
  createTestContext,
  performCapability,
  readFault,
  readWorktreeStatus,
} from "../testing.ts";

describe("merge", () => {
  it("[P3] previews commits and the diff, then updates branch, index and worktree together", async () => {
    await using fixture = await createFixtureWithSide({ sandboxed: true });
    const before = await snapshotTree(fixture.root);
    const { changes } = await fixture.capability("merge").preview!({ from: "side" }, createTestContext());
    expect(await snapshotTree(fixture.root)).toBe(before);
    expect(changes[0]).toMatchObject({ kind: "update", target: "main" });
    expect(changes[0]?.diff).toContain("+side");
    expect(changes.map(({ target }) => target)).toContain(fixture.git("rev-parse", "side"));
    const done = await performCapability(fixture.capability("merge"), { from: "side" });
    expect(readWorktreeStatus(fixture)).toBe("");
    expect(fixture.git("log", "-1", "--format=%P")).toBe(done.parents.join(" "));
    expect(await readFile(join(fixture.root, "new/side.txt"), "utf8")).toBe("side\n");
    await performCapability(fixture.capability("revert"), fixture.capability("merge").undo!({}, done)!.input);
    expect(readWorktreeStatus(fixture)).toBe("");
    expect(await readFile(join(fixture.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    await expect(stat(join(fixture.root, "new"))).rejects.toThrow();
  });

  it("leaves the worktree unchanged when it merges into a branch that is not checked out", async () => {
    await using fixture = await createFixtureWithSide();
    fixture.git("branch", "other");
    await fixture.write("a.txt", "being worked on\n");
    await performCapability(fixture.capability("merge"), { from: "side", into: "other" });
    expect(readWorktreeStatus(fixture)).toBe("M a.txt".padStart(8));
    expect(fixture.git("show", "other:new/side.txt")).toBe("side");
  });

  it("refuses to overwrite changed or staged files, and untracked files, folders or links in its way", async () => {
    await using fixture = await createFixtureWithSide();
    const cases: [string, () => Promise<unknown>][] = [
      ["a changed file", () => fixture.write("a.txt", "mine\n")],
      [
        "a staged file",
        async () => {
          await fixture.write("a.txt", "mine\n");
          fixture.git("add", "a.txt");
          await fixture.write("a.txt", "one\ntwo\nthree\n");
        },
      ],
      ["an unknown file in its place", () => fixture.write("new/side.txt", "mine\n")],
      ["a file where a folder is needed", () => fixture.write("new", "mine\n")],
      ["a folder where a file goes", () => fixture.write("new/side.txt/mine", "mine\n")],
      ["a link where a folder is needed", () => symlink("docs", join(fixture.root, "new"))],
    ];
    for (const [what, work] of cases) {
      await work();
      const before = await snapshotTree(fixture.root, false);
      expect(await readFault(performCapability(fixture.capability("merge"), { from: "side" })), what).toBe(
        "permanent in-the-way",
      );
      expect(await snapshotTree(fixture.root, false), what).toBe(before);
      await rm(join(fixture.root, "new"), { recursive: true, force: true });
      fixture.git("reset", "--quiet", "--hard");
    }
  });

  it("keeps staged and unstaged changes to files that it does not touch", async () => {
    await using fixture = await createFixtureWithSide();
    await fixture.write("docs/b.txt", "mine\n");
    fixture.git("add", "docs/b.txt");
    await fixture.write("docs/b.txt", "mine, further\n");
    await performCapability(fixture.capability("merge"), { from: "side" });
    expect(readWorktreeStatus(fixture)).toBe("MM docs/b.txt");
  });

  it("[P5] refuses with `basis-changed` if either branch head moved after the preview", async () => {
    await using fixture = await createFixtureWithSide();
    const merge = fixture.capability("merge");
    const { basis } = await merge.preview!({ from: "side" }, createTestContext());
    fixture.git("branch", "--force", "side", "main");
    expect(await readFault(merge.apply({ from: "side" }, createTestContext({ basis })))).toBe(
      "permanent basis-changed",
    );
    fixture.git("commit", "--quiet", "--allow-empty", "--message=Theirs");
    expect(await readFault(merge.apply({ from: "side" }, createTestContext({ basis })))).toBe(
      "permanent basis-changed",
    );
    expect(await merge.probe!({ from: "side" }, createTestContext({ basis }))).toEqual({ kind: "unsure" });
  });

  it("[P7] [P8] is ambiguous, never not-performed, if stopped after the branch moved, and the probe completes it", async () => {
    await using fixture = await createFixtureWithSide();
    const merge = fixture.capability("merge");
    const { basis } = await merge.preview!({ from: "side" }, createTestContext());
    const stop = new AbortController();
    const main = join(fixture.root, ".git/refs/heads/main");
    const watching = watch(join(fixture.root, ".git/refs/heads"), { signal: stop.signal });
    const before = await readFile(main, "utf8");
    const stopped = (async () => {
      for await (const _ of watching)
        if ((await readFile(main, "utf8").catch(() => before)) !== before) stop.abort();
    })().catch(() => {});
    const fault = await readFault(
      merge.apply({ from: "side" }, createTestContext({ basis, signal: stop.signal })),
    );
    expect(fault).toMatch(/^ambiguous (?:not-settled|stopped)$/);
    await stopped;
    expect(await merge.probe!({ from: "side" }, createTestContext({ basis }))).toMatchObject({
      kind: "present",
    });
    expect(readWorktreeStatus(fixture)).toBe("");
  });

  it("refuses conflicts, merged or invalid revisions, unfinished merges and branches of another worktree", async () => {
    await using fixture = await createFixtureWithSide();
    expect(await readFault(performCapability(fixture.capability("merge"), { from: "main" }))).toBe(
      "permanent already-merged",
    );
    expect(await readFault(performCapability(fixture.capability("merge"), { from: "nowhere" }))).toBe(
      "permanent revision-unknown",
    );
    expect(await readFault(performCapability(fixture.capability("merge"), { from: "side^{tree}" }))).toBe(
      "permanent ref-invalid",
    );
    await writeFile(join(fixture.root, ".git/MERGE_HEAD"), `${fixture.git("rev-parse", "side")}\n`);
    expect(await readFault(performCapability(fixture.capability("merge"), { from: "side" }))).toBe(
      "permanent half-done",
    );
    await rm(join(fixture.root, ".git/MERGE_HEAD"));
    fixture.git("worktree", "add", "--quiet", join(fixture.base, "second"), "-b", "busy");
    expect(
      await readFault(performCapability(fixture.capability("merge"), { from: "side", into: "busy" })),
    ).toBe("permanent checked-out-elsewhere");
    await fixture.write("a.txt", "one\ntwo\nthree\nmain\n");
    fixture.git("commit", "--quiet", "--all", "--message=Main");
    expect(await readFault(performCapability(fixture.capability("merge"), { from: "side" }))).toBe(
      "permanent conflict",
    );
  });
});

describe("revert", () => {
  it("reverts an earlier commit and keeps the later changes", async () => {
    await using fixture = await createGitFixture();
    await fixture.write("a.txt", "one\ntwo\nthree\nfour\n");
    const first = await performCapability(fixture.capability("commit"), {
      message: "Four",
      paths: ["a.txt"],
    });
    await fixture.write("docs/b.txt", "later\n");
    await performCapability(fixture.capability("commit"), { message: "Later", paths: ["docs/b.txt"] });
    const done = await performCapability(fixture.capability("revert"), { commit: first.commit });
    expect(await readFile(join(fixture.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(await readFile(join(fixture.root, "docs/b.txt"), "utf8")).toBe("later\n");
    expect(fixture.git("log", "-1", "--format=%B")).toBe(
      `Revert "Four"\n\nThis reverts commit ${first.commit}.\n`,
    );
    expect(await readFault(performCapability(fixture.capability("revert"), { commit: first.commit }))).toBe(
      "permanent nothing-to-revert",
    );
    await performCapability(
      fixture.capability("revert"),
      fixture.capability("revert").undo!({}, done)!.input,
    );
    expect(await readFile(join(fixture.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
    expect(
      await readFault(performCapability(fixture.capability("revert"), { commit: "HEAD", mainline: 1 })),
    ).toBe("permanent mainline-needed");
  });
});
