import { link, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createFixtureWithSide,
  createGitFixture,
  createTestContext,
  type GitFixture,
  performCapability,
  readFault,
  readWorktreeStatus,
} from "./testing.ts";

describe("branches and tags", () => {
  it("a branch is made and deleted, each the way back of the other", async () => {
    await using there = await createFixtureWithSide();
    const made = await performCapability(there.capability("branch_create"), { name: "topic/x", at: "side" });
    expect(there.git("rev-parse", "topic/x")).toBe(made.commit);
    const undo = there.capability("branch_create").undo!({ name: "topic/x" }, made)!;
    expect(undo).toEqual({
      capability: "git.branch_delete",
      input: { name: "topic/x", expect: made.commit },
    });
    const gone = await performCapability(there.capability("branch_delete"), undo.input);
    const back = there.capability("branch_delete").undo!({ name: "topic/x" }, gone)!;
    await performCapability(there.capability("branch_create"), back.input);
    expect(there.git("rev-parse", "topic/x")).toBe(made.commit);
    there.git("branch", "--force", "topic/x", "main");
    expect(await readFault(performCapability(there.capability("branch_delete"), undo.input))).toBe(
      "permanent not-as-expected",
    );
    const { changes } = await there.capability("branch_delete").preview!(
      { name: "side" },
      createTestContext(),
    );
    expect(changes[0]?.summary).toContain("1 commit is on no other branch or tag");
  });

  it("refuses names that are taken or none, and branches that are in use or protected", async () => {
    await using there = await createFixtureWithSide();
    there.git("branch", "release/1");
    await there.open({ protect: ["release/*"] });
    const fault = (verb: string, name: string) =>
      readFault(performCapability(there.capability(verb), { name }));
    expect(await fault("branch_create", "side")).toBe("permanent name-taken");
    expect(await fault("branch_create", "side/x")).toBe("permanent name-taken");
    expect(await fault("branch_create", "release")).toBe("permanent name-taken");
    expect(await fault("branch_create", "--force")).toBe("permanent ref-invalid");
    expect(await fault("branch_delete", "main")).toBe("permanent checked-out");
    expect(await fault("branch_delete", "release/1")).toBe("permanent protected");
    expect(await fault("branch_delete", "nowhere")).toBe("permanent branch-unknown");
    expect(await fault("tag_delete", "nowhere")).toBe("permanent tag-unknown");
  });

  it("a tag is made with a message or without, and comes back as the object it was", async () => {
    await using there = await createGitFixture();
    await performCapability(there.capability("tag_create"), { name: "light" });
    expect(there.git("rev-parse", "light")).toBe(there.git("rev-parse", "HEAD"));
    const made = await performCapability(there.capability("tag_create"), {
      name: "v1",
      message: "One\n\nMore",
    });
    expect(there.git("for-each-ref", "--format=%(taggername) %(contents)", "refs/tags/v1")).toBe(
      "Paraph One\n\nMore\n",
    );
    const undo = there.capability("tag_create").undo!({ name: "v1" }, made)!;
    const gone = await performCapability(there.capability("tag_delete"), undo.input);
    await performCapability(
      there.capability("tag_create"),
      there.capability("tag_delete").undo!({ name: "v1" }, gone)!.input,
    );
    expect(there.git("rev-parse", "v1")).toBe(made.object);
    expect(there.git("fsck", "--strict")).not.toMatch(/error/);
  });
});

describe("[P7] locks that a dead git left behind", () => {
  async function commitWith(there: GitFixture): Promise<string> {
    await there.write("a.txt", "changed\n");
    return readFault(performCapability(there.capability("commit"), { message: "m", paths: ["a.txt"] }));
  }

  it("of a branch: somebody else's is waited for, an old empty one is removed", async () => {
    await using there = await createGitFixture();
    const lock = join(there.root, ".git/refs/heads/main.lock");
    await writeFile(lock, "");
    expect(await commitWith(there)).toBe("not-performed locked");
    await utimes(lock, new Date(0), new Date(0));
    expect(await commitWith(there)).toBe("no fault");
    await expect(stat(lock)).rejects.toThrow();
  });

  it("of the index: somebody else's stays, ours is known and removed", async () => {
    await using there = await createGitFixture();
    const lock = join(there.root, ".git/index.lock");
    await writeFile(lock, "");
    expect(await commitWith(there)).toBe("not-performed locked");
    expect(there.git("log", "-1", "--format=%s")).toBe("First");
    await rm(lock);
    const own = join(there.root, ".git/paraph-index-call_1");
    await writeFile(own, "");
    await link(own, lock);
    expect(await commitWith(there)).toBe("no fault");
    await expect(stat(own)).rejects.toThrow();
    expect(readWorktreeStatus(there)).toBe("");
  });
});
