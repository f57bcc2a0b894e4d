import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { prepareNextKey, retireSigningKey, revokeSigningKey, rotateSigningKey } from "./change-keys.ts";
import { readKeyFolder } from "./key-folder.ts";
import { createFileSigner } from "./signer.ts";

/** The number of changes to files after which the process dies. After its death, it changes nothing. */
const life = vi.hoisted(() => ({ changesLeft: Number.POSITIVE_INFINITY }));
vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  const mortal = [
    "openSync",
    "writeSync",
    "fsyncSync",
    "renameSync",
    "linkSync",
    "rmSync",
    "mkdirSync",
  ] as const;
  const wrapped = mortal.map((name) => [
    name,
    (...args: never[]) => {
      if (life.changesLeft-- <= 0) throw new Error("killed");
      return (fs[name] as (...given: never[]) => unknown)(...args);
    },
  ]);
  return { ...fs, ...Object.fromEntries(wrapped) };
});

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "paraph-keys-"));
  onTestFinished(() => {
    life.changesLeft = Number.POSITIVE_INFINITY;
    rmSync(folder, { recursive: true });
  });
  file = join(folder, "signing.pem");
  createFileSigner(file);
});

const listKids = () => readKeyFolder(file).map(({ place, publicKey }) => [place, publicKey.kid]);

it("[TRUST 32] in the documented order of a rotation, every running process accepts the seals of every other", () => {
  const hosts = ["a", "b"].map((host) => join(folder, host, "signing.pem"));
  for (const host of hosts) cpSync(file, host);
  const processes = hosts.map((host) => createFileSigner(host));
  const expectMutualSeals = () => {
    for (const [index, one] of processes.entries())
      for (const other of processes)
        expect([index, other.isSealed("pay 10", one.seal("pay 10"))]).toEqual([index, true]);
  };
  const restart = (index: number) => {
    processes[index] = createFileSigner(hosts[index]!);
    expectMutualSeals();
  };
  const next = prepareNextKey(hosts[0]!);
  cpSync(join(folder, "a/next"), join(folder, "b/next"), { recursive: true });
  restart(0);
  restart(1);
  for (const [index, host] of hosts.entries()) {
    rotateSigningKey(host);
    restart(index);
  }
  expect(processes.map(({ keyId }) => keyId)).toEqual([next.publicKey.kid, next.publicKey.kid]);
});

it("a rotation that is killed at any change to a file loses no key, and the next run continues", () => {
  const before = createFileSigner(file);
  const seal = before.seal("pay 10");
  let steps = 0;
  for (let killedAt = 0; ; killedAt++) {
    const copy = join(folder, `copy-${killedAt}`);
    cpSync(file, join(copy, "signing.pem"));
    const key = join(copy, "signing.pem");
    const rotate = () => {
      prepareNextKey(key);
      rotateSigningKey(key);
    };
    life.changesLeft = killedAt;
    let finished = true;
    try {
      rotate();
    } catch (error) {
      expect(error).toMatchObject({ message: "killed" });
      finished = false;
    }
    life.changesLeft = Number.POSITIVE_INFINITY;
    const after = createFileSigner(key);
    expect([killedAt, after.isSealed("pay 10", seal)]).toEqual([killedAt, true]);
    const prepared = readKeyFolder(key).find(({ place }) => place === "next")?.publicKey.kid;
    if (after.keyId === before.keyId) rotate();
    const end = createFileSigner(key);
    expect(end.keyId).not.toBe(before.keyId);
    if (prepared) expect(end.keyId).toBe(prepared);
    expect(end.publicKeys.map(({ kid }) => kid)).toEqual([end.keyId, before.keyId]);
    if (finished) break;
    steps = killedAt;
  }
  expect(steps).toBeGreaterThan(8);
});

it("a first start that is killed leaves no unusable key", () => {
  const key = join(folder, "new/signing.pem");
  for (let killedAt = 0; killedAt < 6; killedAt++) {
    life.changesLeft = killedAt;
    expect(() => createFileSigner(key)).toThrow();
    life.changesLeft = Number.POSITIVE_INFINITY;
  }
  expect(createFileSigner(key).keyId).toHaveLength(43);
});

it("files of keys are readable only by their owner", () => {
  prepareNextKey(file);
  const { previous } = rotateSigningKey(file);
  for (const one of [file, previous.file]) expect(statSync(one).mode & 0o777).toBe(0o600);
});

it("a second `prepare` keeps the key that hosts may have already, and `rotate` needs one", () => {
  expect(() => rotateSigningKey(file)).toThrow("`paraph signing-key prepare` first");
  expect(prepareNextKey(file)).toEqual(prepareNextKey(file));
});

it("[TRUST 32] a retired key keeps its receipts valid, but its private part is gone and its seals no longer count", () => {
  const before = createFileSigner(file);
  prepareNextKey(file);
  const { previous } = rotateSigningKey(file);
  retireSigningKey(file, before.keyId);
  expect(readFileSync(previous.file, "utf8")).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  const after = createFileSigner(file);
  expect(after.publicKeys).toEqual([after.publicKey, before.publicKey]);
  expect(after.isSealed("pay 10", before.seal("pay 10"))).toBe(false);
});

it("[TRUST 32] a revoked key is published with its time, its seals no longer count, and the time only moves back", () => {
  const before = createFileSigner(file);
  expect(() => revokeSigningKey(file, before.keyId, 5_000)).toThrow("is the current signing key");
  expect(() => revokeSigningKey(file, "other", 5_000)).toThrow("no signing key `other`");
  prepareNextKey(file);
  rotateSigningKey(file);
  expect(revokeSigningKey(file, before.keyId, 5_000)).toBe(5_000);
  expect(revokeSigningKey(file, before.keyId, 9_000)).toBe(5_000);
  expect(revokeSigningKey(file, before.keyId, 4_000)).toBe(4_000);
  const after = createFileSigner(file);
  expect(after.publicKeys).toEqual([after.publicKey, { ...before.publicKey, revokedAt: 4_000 }]);
  expect(after.isSealed("pay 10", before.seal("pay 10"))).toBe(false);
});

it("[TRUST 32] the seals of a revoked key do not count even if a copy of its private part is left", () => {
  const before = createFileSigner(file);
  prepareNextKey(file);
  const { previous } = rotateSigningKey(file);
  const pem = readFileSync(previous.file, "utf8");
  revokeSigningKey(file, before.keyId, 5_000);
  writeFileSync(previous.file, pem);
  expect(createFileSigner(file).isSealed("pay 10", before.seal("pay 10"))).toBe(false);
});

it("a next key that leaked is revoked before any use, and the next `prepare` makes another", () => {
  const leaked = prepareNextKey(file).publicKey.kid;
  revokeSigningKey(file, leaked, 5_000);
  expect(listKids()).toEqual([
    ["current", createFileSigner(file).keyId],
    ["previous", leaked],
  ]);
  expect(prepareNextKey(file).publicKey.kid).not.toBe(leaked);
});

it.each(["{", '{ "kid": "soon" }', "[null]"])(
  "a list of revoked keys that cannot be read stops the start: %s",
  (text) => {
    writeFileSync(join(folder, "revoked.json"), text);
    expect(() => createFileSigner(file)).toThrow("is not a JSON object of key ids and times");
  },
);

it("a key that is not Ed25519 or not PEM is reported with its file", () => {
  writeFileSync(join(folder, "signing.pem"), "nonsense");
  expect(() => createFileSigner(file)).toThrow(`\`${file}\` cannot be read as a PEM key`);
});
