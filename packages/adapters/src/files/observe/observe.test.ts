import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Observation, OpenAdapter } from "@paraph/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { files } from "../index.ts";

let root = "";
let observe: NonNullable<OpenAdapter["observe"]>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "paraph-observe-"));
  const setting = { name: "files", folder: root, signal: AbortSignal.timeout(60_000) };
  const open = await files({ root: ".", maxBytes: 64 }).open({
    ...setting,
    credential: async () => "",
    announceChange: () => {},
  });
  observe = open.observe!;
});
afterEach(() => rm(root, { recursive: true, force: true }));

const put = (path: string, content: string) => writeFile(join(root, path), content);
const look = (cursor?: string, signal = AbortSignal.timeout(60_000)) =>
  observe(cursor, { tenant: "acme", signal, credential: async () => "" });
const told = (observations: readonly Observation[]) =>
  observations.map(({ kind, subject }) => `${kind} ${subject}`);

it("the first poll records the existing files without reporting them", async () => {
  await put("old.txt", "old");
  const { observations, cursor, more } = await look();
  expect([observations, more]).toEqual([[], undefined]);
  expect((await look(cursor)).observations).toEqual([]);
  expect((await look(cursor)).cursor).toBe(cursor);
});

it("reports files created, changed, moved and deleted since the cursor, with the hash of their content", async () => {
  await put("changed.txt", "one");
  await put("deleted.txt", "x");
  await put("moved.txt", "y");
  const { cursor } = await look();
  await mkdir(join(root, "deep"));
  await put("deep/created.txt", "new");
  await put("changed.txt", "other");
  await rm(join(root, "deleted.txt"));
  await rename(join(root, "moved.txt"), join(root, "deep/there.txt"));
  const { observations } = await look(cursor);
  expect(told(observations)).toEqual([
    ...["file.changed changed.txt", "file.created deep/created.txt", "file.created deep/there.txt"],
    ...["file.deleted deleted.txt", "file.deleted moved.txt"],
  ]);
  expect(observations[0]).toMatchObject({
    data: { bytes: 5, sha256: "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa" },
  });
  expect(observations[3]?.data).toEqual({});
});

it("[O1] a poll with the same cursor returns the same observations with the same ids", async () => {
  const { cursor } = await look();
  await put("a.txt", "a");
  const [first, second] = [await look(cursor), await look(cursor)];
  expect(first.observations).toHaveLength(1);
  expect(second).toEqual(first);
  expect((await look(first.cursor)).observations).toEqual([]);
});

it("does not report a file that was written again with the content that the last poll saw", async () => {
  const { cursor } = await look();
  await put("a.txt", "same");
  const seen = await look(cursor);
  await utimes(join(root, "a.txt"), new Date(), new Date(Date.now() + 5_000));
  const again = await look(seen.cursor);
  expect(again.observations).toEqual([]);
  await put("a.txt", "else");
  expect(told((await look(again.cursor)).observations)).toEqual(["file.changed a.txt"]);
});

it("reports a file that is too large to read, with its size", async () => {
  const { cursor } = await look();
  await put("large.txt", "x".repeat(65));
  expect((await look(cursor)).observations).toMatchObject([{ subject: "large.txt", data: { bytes: 65 } }]);
});

it("[TRUST 18] follows no link, and skips Paraph's own folder and drafts", async () => {
  const { cursor } = await look();
  const outside = await mkdtemp(join(tmpdir(), "paraph-outside-"));
  await writeFile(join(outside, "secret.txt"), "secret");
  await symlink(outside, join(root, "link"));
  await symlink(join(outside, "secret.txt"), join(root, "link.txt"));
  await mkdir(join(root, ".paraph"));
  await put(".paraph/keys.json", "{}");
  await put(".paraph-call_1-1.0123456789abcdef.tmp", "draft");
  const { observations } = await look(cursor);
  await rm(outside, { recursive: true });
  expect(observations).toEqual([]);
});

it("reports at most 200 observations at a time, and whether there are more", async () => {
  const { cursor } = await look();
  await Promise.all(
    Array.from({ length: 201 }, (_, n) => put(`${String(n).padStart(3, "0")}.txt`, String(n))),
  );
  const first = await look(cursor);
  expect([first.observations.length, first.more]).toEqual([200, true]);
  const second = await look(first.cursor);
  expect([told(second.observations), second.more]).toEqual([["file.created 200.txt"], false]);
});

it("stops when its signal aborts, and rejects an invalid cursor", async () => {
  await expect(look(undefined, AbortSignal.abort())).rejects.toThrow();
  await expect(look("2:else")).rejects.toMatchObject({ code: "cursor-invalid" });
});
