import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createFileSigner } from "./signer.ts";

const folder = mkdtempSync(join(tmpdir(), "paraph-sealer-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "signing.pem");

it("[TRUST 32] a seal is valid for one text and only in its own deployment", () => {
  const [ours, again] = [createFileSigner(file), createFileSigner(file)];
  const theirs = createFileSigner(join(folder, "other", "signing.pem"));
  const seal = ours.seal("pay 10");
  expect(again.isSealed("pay 10", seal)).toBe(true);
  expect(ours.isSealed("pay 1000", seal)).toBe(false);
  expect(theirs.isSealed("pay 10", seal)).toBe(false);
  const [id] = seal.split(".");
  const useless = [
    "",
    ".",
    `${id}.`,
    `${id}`,
    `${seal}A`,
    seal.slice(0, -4),
    `x.${seal}`,
    theirs.seal("pay 10"),
  ];
  for (const other of useless) expect(ours.isSealed("pay 10", other)).toBe(false);
});

it("[TRUST 32] the sealing key is not the signing key, and no seal reveals either key", () => {
  const { seal, publicKey } = createFileSigner(file);
  const pem = readFileSync(file, "utf8");
  expect(seal("x").length).toBeLessThan(60);
  expect(pem).not.toContain(seal("x").split(".")[1]);
  expect(seal("x")).not.toContain(publicKey.x);
});

it("[TRUST 32] a new key creates new seals, and seals of the previous key are valid while that key is kept", async () => {
  const before = createFileSigner(file);
  const seal = before.seal("pay 10");
  await mkdir(join(folder, "previous"));
  renameSync(file, join(folder, "previous", "2026.pem"));
  const after = createFileSigner(file);
  expect(after.keyId).not.toBe(before.keyId);
  expect(after.publicKeys).toEqual([after.publicKey, before.publicKey]);
  expect(after.isSealed("pay 10", seal)).toBe(true);
  expect(before.isSealed("pay 10", after.seal("pay 10"))).toBe(false);
  renameSync(join(folder, "previous"), join(folder, "gone"));
  expect(createFileSigner(file).isSealed("pay 10", seal)).toBe(false);
});
