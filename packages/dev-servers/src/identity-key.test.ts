import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { encodeBase58, loadIdentityKey } from "./identity-key.ts";

it("encodes base58 as Bitcoin does", () => {
  // These vectors are from draft-msporny-base58-03.
  expect(encodeBase58(Buffer.from("Hello World!"))).toBe("2NEpo7TZRRrLZSi2U");
  expect(encodeBase58(Buffer.from("0000287fb4cd", "hex"))).toBe("11233QC4");
  expect(encodeBase58(Buffer.alloc(0))).toBe("");
});

it("creates one key per folder, even for concurrent loads, which only its owner can read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-key-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "key.pem");
  const first = await Promise.all([loadIdentityKey(file), loadIdentityKey(file), loadIdentityKey(file)]);
  expect(new Set([...first, await loadIdentityKey(file)]).size).toBe(1);
  expect(first[0]).toMatch(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
