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
  it("[P3] previews commits and the diff, then moves branch, index and worktree together", async () => {
    await using there = await createFixtureWithSide({ sandboxed: true });
    const before = await snapshotTree(there.root);
    const { changes } = await there.capability("merge").preview!({ from: "side" }, createTestContext());
    expect(await snapshotTree(there.root)).toBe(before);
    expect(changes[0]).toMatchObject({ kind: "update", target: "main" });
    expect(changes[0]?.diff).toContain("+side");
    expect(changes.map(({ target }) => target)).toContain(there.git("rev-parse", "side"));
    const done = await performCapability(there.capability("merge"), { from: "side" });
    expect(readWorktreeStatus(there)).toBe("");
    expect(there.git("log", "-1", "--format=%P")).toBe(done.parents.join(" "));
    expect(await readFile(join(there.root, "new/side.txt"), "utf8")).toBe("side\n");
    await performCapability(there.capability("revert"), there.capability("merge").undo!({}, done)!.input);
    expect(readWorktreeStatus(there)).toBe("");
    expect(await readFile(join(there.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    await expect(stat(join(there.root, "new"))).rejects.toThrow();
  });

  it("into a branch that is not checked out leaves the worktree alone", async () => {
    await using there = await createFixtureWithSide();
    there.git("branch", "other");
    await there.write("a.txt", "being worked on\n");
    await performCapability(there.capability("merge"), { from: "side", into: "other" });
    expect(readWorktreeStatus(there)).toBe("M a.txt".padStart(8));
    expect(there.git("show", "other:new/side.txt")).toBe("side");
  });

  it("never writes over what somebody works on, or over what is in the way", async () => {
    await using there = await createFixtureWithSide();
    const cases: [string, () => Promise<unknown>][] = [
      ["a changed file", () => there.write("a.txt", "mine\n")],
      [
        "a staged file",
        async () => {
          await there.write("a.txt", "mine\n");
          there.git("add", "a.txt");
          await there.write("a.txt", "one\ntwo\nthree\n");
        },
      ],
      ["an unknown file in its place", () => there.write("new/side.txt", "mine\n")],
      ["a file where a folder is needed", () => there.write("new", "mine\n")],
      ["a folder where a file goes", () => there.write("new/side.txt/mine", "mine\n")],
      ["a link where a folder is needed", () => symlink("docs", join(there.root, "new"))],
    ];
    for (const [what, work] of cases) {
      await work();
      const before = await snapshotTree(there.root, false);
      expect(await readFault(performCapability(there.capability("merge"), { from: "side" })), what).toBe(
        "permanent in-the-way",
      );
      expect(await snapshotTree(there.root, false), what).toBe(before);
      await rm(join(there.root, "new"), { recursive: true, force: true });
      there.git("reset", "--quiet", "--hard");
    }
  });

  it("what is worked on elsewhere stays as it is", async () => {
    await using there = await createFixtureWithSide();
    await there.write("docs/b.txt", "mine\n");
    there.git("add", "docs/b.txt");
    await there.write("docs/b.txt", "mine, further\n");
    await performCapability(there.capability("merge"), { from: "side" });
    expect(readWorktreeStatus(there)).toBe("MM docs/b.txt");
  });

  it("[P5] the branch head moved after the look: refused, on either side", async () => {
    await using there = await createFixtureWithSide();
    const merge = there.capability("merge");
    const { basis } = await merge.preview!({ from: "side" }, createTestContext());
    there.git("branch", "--force", "side", "main");
    expect(await readFault(merge.apply({ from: "side" }, createTestContext({ basis })))).toBe(
      "permanent basis-moved",
    );
    there.git("commit", "--quiet", "--allow-empty", "--message=Theirs");
    expect(await readFault(merge.apply({ from: "side" }, createTestContext({ basis })))).toBe(
      "permanent basis-moved",
    );
    expect(await merge.probe!({ from: "side" }, createTestContext({ basis }))).toEqual({ kind: "unsure" });
  });

  it("[P7] [P8] stopped after the branch moved is ambiguous, never not performed; the probe goes on from there", async () => {
    await using there = await createFixtureWithSide();
    const merge = there.capability("merge");
    const { basis } = await merge.preview!({ from: "side" }, createTestContext());
    const stop = new AbortController();
    const main = join(there.root, ".git/refs/heads/main");
    const watching = watch(join(there.root, ".git/refs/heads"), { signal: stop.signal });
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
    expect(readWorktreeStatus(there)).toBe("");
  });

  it("refuses conflicts, what is merged already, and a branch somebody is in the middle of", async () => {
    await using there = await createFixtureWithSide();
    expect(await readFault(performCapability(there.capability("merge"), { from: "main" }))).toBe(
      "permanent already-merged",
    );
    expect(await readFault(performCapability(there.capability("merge"), { from: "nowhere" }))).toBe(
      "permanent revision-unknown",
    );
    expect(await readFault(performCapability(there.capability("merge"), { from: "side^{tree}" }))).toBe(
      "permanent ref-invalid",
    );
    await writeFile(join(there.root, ".git/MERGE_HEAD"), `${there.git("rev-parse", "side")}\n`);
    expect(await readFault(performCapability(there.capability("merge"), { from: "side" }))).toBe(
      "permanent half-done",
    );
    await rm(join(there.root, ".git/MERGE_HEAD"));
    there.git("worktree", "add", "--quiet", join(there.base, "second"), "-b", "busy");
    expect(
      await readFault(performCapability(there.capability("merge"), { from: "side", into: "busy" })),
    ).toBe("permanent checked-out-elsewhere");
    await there.write("a.txt", "one\ntwo\nthree\nmain\n");
    there.git("commit", "--quiet", "--all", "--message=Main");
    expect(await readFault(performCapability(there.capability("merge"), { from: "side" }))).toBe(
      "permanent conflict",
    );
  });
});

describe("revert", () => {
  it("takes back a commit in the middle and keeps what came after", async () => {
    await using there = await createGitFixture();
    await there.write("a.txt", "one\ntwo\nthree\nfour\n");
    const first = await performCapability(there.capability("commit"), { message: "Four", paths: ["a.txt"] });
    await there.write("docs/b.txt", "later\n");
    await performCapability(there.capability("commit"), { message: "Later", paths: ["docs/b.txt"] });
    const done = await performCapability(there.capability("revert"), { commit: first.commit });
    expect(await readFile(join(there.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    expect(await readFile(join(there.root, "docs/b.txt"), "utf8")).toBe("later\n");
    expect(there.git("log", "-1", "--format=%B")).toBe(
      `Revert "Four"\n\nThis reverts commit ${first.commit}.\n`,
    );
    expect(await readFault(performCapability(there.capability("revert"), { commit: first.commit }))).toBe(
      "permanent nothing-to-revert",
    );
    await performCapability(there.capability("revert"), there.capability("revert").undo!({}, done)!.input);
    expect(await readFile(join(there.root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\n");
    expect(
      await readFault(performCapability(there.capability("revert"), { commit: "HEAD", mainline: 1 })),
    ).toBe("permanent mainline-needed");
  });
});
