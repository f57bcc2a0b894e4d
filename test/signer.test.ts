// Receipts whose key is not in a file: in Vault, and behind a signer of the configuration.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { defineCapability, type PublicKey, toPublicKey, verifyReceipt } from "@paraph/core";
import { type Config, createSealer, openConfiguredSigner, startParaph } from "@paraph/server";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { provision } from "../packages/server/src/postgres/index.ts";
import {
  createTransitKey,
  startVaultDouble,
  type VaultDouble,
} from "../packages/server/src/vault/testing/vault-double.ts";
import { createTestDatabase } from "./support/servers/database.ts";

let folder: string;
let vault: VaultDouble;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-signer-"));
  [vault, database] = await Promise.all([startVaultDouble(), createTestDatabase()]);
  key = await provision(database.ownerUrl, async (p) => {
    await p.addTenant("acme");
    await p.addPrincipal({ tenant: "acme", id: "owner", kind: "person" });
    await p.addPrincipal({ tenant: "acme", id: "bot", kind: "agent", owner: "owner" });
    return p.createKey("acme", "bot");
  });
});
afterAll(async () => {
  await vault.stop();
  await rm(folder, { recursive: true, force: true });
});

const used: string[] = [];
const note = defineCapability({
  name: "notes.write",
  version: 1,
  summary: "Write a note",
  effect: "write",
  idempotency: "natural",
  input: z.object({ secret: z.string().optional() }),
  output: z.object({}),
  apply: async ({ secret }, context) => {
    if (secret !== undefined) used.push(await context.credential(secret));
    return {};
  },
});

interface ResponseBody {
  readonly call: string;
  readonly outcome?: { readonly kind: string };
  readonly keys: readonly PublicKey[];
}

async function start(config: Config) {
  const log = () => {};
  const all = { capabilities: [note], unattended: ["notes.write"], ...config };
  const signer = (await openConfiguredSigner(all, { folder, environment: {}, log }))!;
  const paraph = await startParaph({
    config: all,
    folder,
    databaseUrl: database.url,
    signer,
    publicKeys: signer.publicKeys,
    log,
    version: "0.0.0",
  });
  onTestFinished(async () => {
    await paraph.stop();
    await signer.close?.();
  });
  const send = async (path: string, body?: object, wait = 60) => {
    const response = await fetch(paraph.url + path, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${key}`, prefer: `wait=${wait}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as ResponseBody };
  };
  const call = (input: object, wait?: number) =>
    send("/v1/calls", { capability: "notes.write", input }, wait);
  const verifyCall = async (id: string) => {
    const { keys } = (await send("/v1/keys")).body;
    return verifyReceipt((await send(`/v1/calls/${id}/receipt`)).body, keys);
  };
  return { signer, send, call, verifyCall };
}

it("a call is performed with a secret from Vault, and its receipt is signed by Vault and verifies", async () => {
  vault.tokens.set("hvs.paraph", { seconds: 3_600, renewable: true });
  createTransitKey(vault, "paraph");
  vault.secrets.set("paraph/acme/github", { value: "gh-1" });
  await writeFile(join(folder, "token"), "hvs.paraph\n");
  const { signer, send, call, verifyCall } = await start({
    vault: {
      url: vault.url,
      auth: { tokenFile: "token" },
      signing: { key: "paraph" },
      secrets: {},
    },
  });
  const { body } = await call({ secret: "github" });
  expect([body.outcome, used]).toMatchObject([{ kind: "succeeded" }, ["gh-1"]]);
  expect(await verifyCall(body.call)).toMatchObject({ keyId: signer.keyId, story: { call: body.call } });
  expect(vault.violations).toEqual([]);

  // While Vault is sealed, the call stays open and the process is not ready. Afterwards both recover by themselves.
  vault.failing = 503;
  const open = await call({}, 0);
  expect(open.body).not.toHaveProperty("outcome");
  const readiness = async () => (await send("/readyz")).status;
  await expect.poll(readiness).toBe(503);
  expect((await send("/readyz")).body).toMatchObject({ failing: ["signer"] });
  vault.failing = undefined;
  await expect.poll(readiness).toBe(200);
  await expect
    .poll(async () => (await send(`/v1/calls/${open.body.call}`)).body.outcome)
    .toMatchObject({ kind: "succeeded" });
  expect(await verifyCall(open.body.call)).toMatchObject({ keyId: signer.keyId });
});

it("a signer of the configuration signs asynchronously, and the receipt of its call verifies", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const own = toPublicKey(Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"));
  const { call, verifyCall } = await start({
    signer: async () => ({
      ...createSealer([randomBytes(32)]),
      keyId: own.kid,
      publicKeys: [own],
      async sign(bytes) {
        await setImmediate();
        return sign(null, bytes, privateKey);
      },
    }),
  });
  const { body } = await call({});
  expect(body.outcome).toMatchObject({ kind: "succeeded" });
  expect(await verifyCall(body.call)).toMatchObject({ keyId: own.kid });
});

it("a signer whose signature its public key does not verify stops the start", async () => {
  const [one, other] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
  const shown = toPublicKey(Buffer.from(one.publicKey.export({ format: "jwk" }).x ?? "", "base64url"));
  const open = (keyId: string) =>
    openConfiguredSigner(
      {
        signer: () => ({
          ...createSealer([randomBytes(32)]),
          keyId,
          publicKeys: [shown],
          sign: async (bytes) => sign(null, bytes, other.privateKey),
        }),
      },
      { folder, environment: {}, log: () => {} },
    );
  await expect(open(shown.kid)).rejects.toThrow("does not match its public key");
  await expect(open("other")).rejects.toThrow("none of its `publicKeys` has");
});
