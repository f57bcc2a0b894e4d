import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFilesFixture, makeFifo, performCapability, raceFreeModes, readFault } from "../testing.ts";

describe.each(raceFreeModes)("files.read (race-free: %s)", (raceFree) => {
  it("returns text as UTF-8, with its size and hash", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a.txt"), "\ufeffgrüße\n");
    const sha256 = createHash("sha256").update("\ufeffgrüße\n").digest("hex");
    expect(await performCapability(fixture.read, { path: "./a.txt" })).toEqual({
      content: "\ufeffgrüße\n",
      encoding: "utf8",
      bytes: 11,
      sha256,
    });
  });

  it.each([
    ["bytes that are no UTF-8", [0xff, 0xfe, 0x41]],
    ["a NUL", [0x41, 0x00, 0x42]],
  ])("returns %s as base64", async (_, bytes) => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a.bin"), Buffer.from(bytes));
    const output = await performCapability(fixture.read, { path: "a.bin" });
    expect(output.encoding).toBe("base64");
    expect([...Buffer.from(output.content, "base64")]).toEqual(bytes);
  });

  it("refuses a file above maxBytes, and reads one of exactly that size", async () => {
    await using fixture = await createFilesFixture({ raceFree, maxBytes: 100_000 });
    await writeFile(join(fixture.root, "full"), Buffer.alloc(100_000, "a"));
    await writeFile(join(fixture.root, "over"), Buffer.alloc(100_001, "a"));
    expect((await performCapability(fixture.read, { path: "full" })).bytes).toBe(100_000);
    expect(await readFault(performCapability(fixture.read, { path: "over" }))).toBe("permanent too-large");
  });

  it("reports a missing path, a folder, a file used as a folder, and an invalid path", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "folder"));
    await writeFile(join(fixture.root, "file"), "");
    const fault = (path: string) => readFault(performCapability(fixture.read, { path }));
    expect(await fault("nothing")).toBe("permanent not-found");
    expect(await fault("no/such/folder")).toBe("permanent not-found");
    expect(await fault("folder")).toBe("permanent not-a-file");
    expect(await fault("")).toBe("permanent not-a-file");
    expect(await fault("file/below")).toBe("permanent not-a-folder");
    expect(await fault("x".repeat(300))).toBe("permanent path-invalid");
  });

  it("[TRUST 18] refuses symbolic links, including those that stay inside the root", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.outside, "secret"), "outside");
    await writeFile(join(fixture.root, "real"), "inside");
    await symlink(fixture.outside, join(fixture.root, "folder-link"));
    await symlink(join(fixture.outside, "secret"), join(fixture.root, "file-link"));
    await symlink("real", join(fixture.root, "inner-link"));
    await symlink("nowhere", join(fixture.root, "dangling"));
    for (const path of ["folder-link/secret", "file-link", "inner-link", "dangling"]) {
      expect(await readFault(performCapability(fixture.read, { path }))).toBe("permanent link-refused");
    }
  });

  it("reads a hard link like any file", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "same");
    await link(join(fixture.root, "a"), join(fixture.root, "b"));
    expect(await performCapability(fixture.read, { path: "b" })).toMatchObject({ content: "same" });
  });

  it("refuses a fifo and a socket immediately, without waiting for them", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    makeFifo(join(fixture.root, "fifo"));
    await using server = createServer().listen(join(fixture.root, "socket"));
    expect(server).toBeDefined();
    for (const path of ["fifo", "socket"]) {
      expect(await readFault(performCapability(fixture.read, { path }))).toBe("permanent not-a-file");
      const input = { path, content: "x" };
      expect(await readFault(performCapability(fixture.write, input))).toBe("permanent not-a-file");
    }
  });

  it("does nothing if the call is stopped", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await writeFile(join(fixture.root, "a"), "");
    const signal = AbortSignal.abort();
    expect(await readFault(performCapability(fixture.read, { path: "a" }, { signal }))).toBe(
      "not-performed stopped",
    );
  });

  it("leaves no file open, whether it succeeds or fails", async () => {
    await using fixture = await createFilesFixture({ raceFree });
    await mkdir(join(fixture.root, "a/b"), { recursive: true });
    await writeFile(join(fixture.root, "a/b/c"), "");
    const open = () => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
    const before = open();
    for (let i = 0; i < 20; i++) {
      await performCapability(fixture.read, { path: "a/b/c" });
      await readFault(performCapability(fixture.read, { path: "a/b/c/d" }));
      await readFault(performCapability(fixture.read, { path: "a/x/y" }));
      await performCapability(fixture.write, { path: `new/${i}/f`, content: "x", createFolders: true });
      await readFault(
        performCapability(fixture.write, { path: "a/b/c/d", content: "x", createFolders: true }),
      );
    }
    expect(open()).toBeLessThanOrEqual(before + 2);
  });
});
