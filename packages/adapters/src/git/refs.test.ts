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
  it("creating and deleting a branch undo each other", async () => {
    await using fixture = await createFixtureWithSide();
    const made = await performCapability(fixture.capability("branch_create"), {
      name: "topic/x",
      at: "side",
    });
    expect(fixture.git("rev-parse", "topic/x")).toBe(made.commit);
    const undo = fixture.capability("branch_create").undo!({ name: "topic/x" }, made)!;
    expect(undo).toEqual({
      capability: "git.branch_delete",
      input: { name: "topic/x", expect: made.commit },
    });
    const gone = await performCapability(fixture.capability("branch_delete"), undo.input);
    const back = fixture.capability("branch_delete").undo!({ name: "topic/x" }, gone)!;
    await performCapability(fixture.capability("branch_create"), back.input);
    expect(fixture.git("rev-parse", "topic/x")).toBe(made.commit);
    fixture.git("branch", "--force", "topic/x", "main");
    expect(await readFault(performCapability(fixture.capability("branch_delete"), undo.input))).toBe(
      "permanent not-as-expected",
    );
    const { changes } = await fixture.capability("branch_delete").preview!(
      { name: "side" },
      createTestContext(),
    );
    expect(changes[0]?.summary).toContain("1 commit is on no other branch or tag");
  });

  it("refuses taken, invalid and unknown names, and branches that are checked out or protected", async () => {
    await using fixture = await createFixtureWithSide();
    fixture.git("branch", "release/1");
    await fixture.open({ protect: ["release/*"] });
    const fault = (verb: string, name: string) =>
      readFault(performCapability(fixture.capability(verb), { name }));
    expect(await fault("branch_create", "side")).toBe("permanent name-taken");
    expect(await fault("branch_create", "side/x")).toBe("permanent name-taken");
    expect(await fault("branch_create", "release")).toBe("permanent name-taken");
    expect(await fault("branch_create", "--force")).toBe("permanent ref-invalid");
    expect(await fault("branch_delete", "main")).toBe("permanent checked-out");
    expect(await fault("branch_delete", "release/1")).toBe("permanent protected");
    expect(await fault("branch_delete", "nowhere")).toBe("permanent branch-unknown");
    expect(await fault("tag_delete", "nowhere")).toBe("permanent tag-unknown");
  });

  it("creates a tag with or without a message, and the undo of its deletion restores the same object", async () => {
    await using fixture = await createGitFixture();
    await performCapability(fixture.capability("tag_create"), { name: "light" });
    expect(fixture.git("rev-parse", "light")).toBe(fixture.git("rev-parse", "HEAD"));
    const made = await performCapability(fixture.capability("tag_create"), {
      name: "v1",
      message: "One\n\nMore",
    });
    expect(fixture.git("for-each-ref", "--format=%(taggername) %(contents)", "refs/tags/v1")).toBe(
      "Paraph One\n\nMore\n",
    );
    const undo = fixture.capability("tag_create").undo!({ name: "v1" }, made)!;
    const gone = await performCapability(fixture.capability("tag_delete"), undo.input);
    await performCapability(
      fixture.capability("tag_create"),
      fixture.capability("tag_delete").undo!({ name: "v1" }, gone)!.input,
    );
    expect(fixture.git("rev-parse", "v1")).toBe(made.object);
    expect(fixture.git("fsck", "--strict")).not.toMatch(/error/);
  });
});

describe("[P7] locks that a crashed git process left behind", () => {
  async function commitWith(fixture: GitFixture): Promise<string> {
    await fixture.write("a.txt", "changed\n");
    return readFault(performCapability(fixture.capability("commit"), { message: "m", paths: ["a.txt"] }));
  }

  it("a recent branch lock blocks the commit, and an old empty branch lock is removed", async () => {
    await using fixture = await createGitFixture();
    const lock = join(fixture.root, ".git/refs/heads/main.lock");
    await writeFile(lock, "");
    // A lock counts as old after 10 s. This one stays recent on a busy machine.
    const later = new Date(Date.now() + 3_600_000);
    await utimes(lock, later, later);
    expect(await commitWith(fixture)).toBe("not-performed locked");
    await utimes(lock, new Date(0), new Date(0));
    expect(await commitWith(fixture)).toBe("no fault");
    await expect(stat(lock)).rejects.toThrow();
  });

  it("another process's index lock blocks the commit, and Paraph removes its own index lock", async () => {
    await using fixture = await createGitFixture();
    const lock = join(fixture.root, ".git/index.lock");
    await writeFile(lock, "");
    expect(await commitWith(fixture)).toBe("not-performed locked");
    expect(fixture.git("log", "-1", "--format=%s")).toBe("First");
    await rm(lock);
    const own = join(fixture.root, ".git/paraph-index-call_1");
    await writeFile(own, "");
    await link(own, lock);
    expect(await commitWith(fixture)).toBe("no fault");
    await expect(stat(own)).rejects.toThrow();
    expect(readWorktreeStatus(fixture)).toBe("");
  });
});
