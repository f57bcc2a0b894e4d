import { chmod, mkdir, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Capability, Json, Preview } from "@paraph/core";
import { describe, expect, it } from "vitest";
import {
  createFilesFixture,
  createTestContext,
  parseTestInput,
  raceFreeModes,
  readFault,
  snapshotFolder,
} from "../testing.ts";

const preview = (write: Capability, input: Json): Promise<Preview> =>
  write.preview!(parseTestInput(write, input), createTestContext());

describe.each(raceFreeModes)("files.write preview (race-free: %s)", (raceFree) => {
  it("[P3] preview changes nothing", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "old.txt"), "old\n");
    const before = await snapshotFolder(fixture.root);
    await preview(fixture.write, { path: "old.txt", content: "new\n" });
    await preview(fixture.write, { path: "a/b/new.txt", content: "new\n", createFolders: true });
    expect(await snapshotFolder(fixture.root)).toBe(before);
  });

  it("shows a changed text as a unified diff", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a.txt"), "one\ntwo\n");
    const { changes } = await preview(fixture.write, { path: "./a.txt", content: "one\nTWO\n" });
    expect(changes).toMatchObject([
      { kind: "update", target: "a.txt", summary: "Changed: 8 bytes → 8 bytes" },
    ]);
    expect(changes[0]!.diff).toBe("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n");
  });

  it("shows the whole content of a new file, and every folder that it would create", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "a"));
    const input = { path: "a/b/c/new.txt", content: "hello\n", createFolders: true };
    expect((await preview(fixture.write, input)).changes).toMatchObject([
      { kind: "create", target: "a/b", summary: "New folder" },
      { kind: "create", target: "a/b/c", summary: "New folder" },
      {
        kind: "create",
        target: "a/b/c/new.txt",
        summary: "New file, 6 bytes",
        diff: expect.stringContaining("+hello\n"),
      },
    ]);
  });

  it("shows binary content as sizes and hashes, before and after", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a.bin"), Buffer.from([0, 1]));
    const [change] = (await preview(fixture.write, { path: "a.bin", content: "AAEC", encoding: "base64" }))
      .changes;
    expect(change).not.toHaveProperty("diff");
    expect(change!.summary).toMatch(
      /^Replaced, binary: 2 bytes → 3 bytes, SHA-256 [0-9a-f]{64} → [0-9a-f]{64}$/,
    );
    expect(change!.details).toMatchObject({ bytes: 3, previous: { bytes: 2 } });
  });

  it("marks the change as unchanged if the content stays the same", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a.txt"), "same");
    const [change] = (await preview(fixture.write, { path: "a.txt", content: "same" })).changes;
    expect(change).toMatchObject({
      kind: "update",
      summary: expect.stringMatching(/^Unchanged/),
      details: { unchanged: true },
    });
    expect(change).not.toHaveProperty("diff");
  });

  it("[P5] the basis changes only with the file's content and existence", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    const file = join(fixture.root, "a.txt");
    const basis = async () => (await preview(fixture.write, { path: "a.txt", content: "x" })).basis;
    const none = await basis();
    expect(none).toEqual({ kind: "absent", sha256: null });
    await writeFile(file, "");
    const empty = await basis();
    await writeFile(file, "1");
    const one = await basis();
    await chmod(file, 0o640);
    expect(await basis()).toEqual(one);
    expect(new Set([none, empty, one].map((each) => JSON.stringify(each))).size).toBe(3);
    await unlink(file);
    expect(await basis()).toEqual(none);
  });

  it("refuses the inputs that apply would refuse", async () => {
    await using fixture = await createFilesFixture({ raceFree, maxBytes: 10 });
    await mkdir(join(fixture.root, "folder"));
    await writeFile(join(fixture.root, "locked"), "x", { mode: 0o444 });
    await writeFile(join(fixture.root, "large"), "12345678901");
    await symlink("large", join(fixture.root, "link"));
    const fault = (path: string, content = "x", encoding = "utf8") =>
      readFault(preview(fixture.write, { path, content, encoding }));
    expect(await fault("folder")).toBe("permanent not-a-file");
    expect(await fault("link")).toBe("permanent link-refused");
    expect(await fault("locked")).toBe("permanent read-only");
    expect(await fault("large")).toBe("permanent too-large");
    expect(await fault("new", "12345678901")).toBe("permanent too-large");
    expect(await fault("no/new")).toBe("permanent not-found");
    expect(await fault("../new")).toBe("permanent path-outside-root");
    expect(await fault("new", "not base64!", "base64")).toBe("permanent content-invalid");
    expect(await fault("new", "AB==", "base64")).toBe("permanent content-invalid");
    expect(await fault("new", "\ud800")).toBe("permanent content-invalid");
  });
});
