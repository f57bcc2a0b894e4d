import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSignatureValid } from "@paraph/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { cert, key as certificateKey } from "../../../cli/src/testing/test-certificate.ts";
import { createFileSigner } from "../system/signer.ts";
import type { VaultConfig } from "./config.ts";
import { connectVault } from "./connection.ts";
import { openVaultSecrets, openVaultSigner, vaultSchema } from "./index.ts";
import { openVaultSession } from "./session.ts";
import {
  createTransitKey,
  rotateTransitKey,
  startVaultDouble,
  type VaultDouble,
} from "./testing/vault-double.ts";

let vault: VaultDouble;
let folder: string;
const environment = { VAULT_TOKEN: "hvs.given" };
const problems: string[] = [];

beforeAll(async () => {
  vault = await startVaultDouble();
  folder = mkdtempSync(join(tmpdir(), "paraph-vault-"));
});
afterAll(async () => {
  await vault.stop();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  for (const part of [vault.tokens, vault.transit, vault.secrets, vault.forbidden]) part.clear();
  vault.failing = undefined;
  vault.requests.length = 0;
  problems.length = 0;
  vault.tokens.set("hvs.given", { seconds: 0, renewable: false });
  createTransitKey(vault, "paraph");
  onTestFinished(() => expect(vault.violations.splice(0)).toEqual([]));
});

/** The time limit of a request. It stops hanging tests and makes no claim about speed. */
const timeout = "60s" as const;
const timeoutMs = 60_000;
const context = () => ({ folder, environment, onProblem: (code: string) => void problems.push(code) });
async function openSigner(more: Partial<VaultConfig> = {}, signing: Partial<VaultConfig["signing"]> = {}) {
  const config = { url: vault.url, timeout, signing: { key: "paraph", ...signing }, ...more };
  expect(vaultSchema.safeParse(config).error?.issues ?? []).toEqual([]);
  const signer = await openVaultSigner(config, context());
  onTestFinished(() => signer.close?.());
  return signer;
}
const bytes = new TextEncoder().encode("DSSEv1 …");

describe("the transit engine as the signer", () => {
  it("signs with the private key in Vault, and its public key verifies", async () => {
    const signer = await openSigner();
    const signature = new Uint8Array(await signer.sign(bytes));
    expect(await isSignatureValid(signer.publicKeys[0]!, signature, bytes)).toBe(true);
    expect(signer.publicKeys[0]!.kid).toBe(signer.keyId);
    expect(vault.requests).toEqual([
      "GET auth/token/lookup-self",
      "GET transit/keys/paraph",
      "POST transit/hmac/paraph",
      "POST transit/sign/paraph",
    ]);
  });

  it("[TRUST 32] seals without a request to Vault, with the same secret in every process and after a rotation", async () => {
    const before = await openSigner();
    vault.requests.length = 0;
    const seal = before.seal("pay 10");
    expect([before.isSealed("pay 10", seal), before.isSealed("pay 99", seal)]).toEqual([true, false]);
    expect(vault.requests).toEqual([]);
    rotateTransitKey(vault.transit.get("paraph")!);
    const after = await openSigner();
    expect(after.isSealed("pay 10", seal)).toBe(true);
    expect(before.isSealed("pay 10", after.seal("pay 10"))).toBe(true);
    createTransitKey(vault, "other");
    expect((await openSigner({}, { key: "other" })).isSealed("pay 10", seal)).toBe(false);
  });

  it("[TRUST 32] changes the secret of seals in two steps, in which every process accepts the seals of the others", async () => {
    rotateTransitKey(vault.transit.get("paraph")!);
    const [first, both, changed] = await Promise.all(
      [[1], [1, 2], [2, 1]].map((sealVersions) => openSigner({}, { sealVersions })),
    );
    expect(both!.isSealed("x", first!.seal("x")) && first!.isSealed("x", both!.seal("x"))).toBe(true);
    expect(both!.isSealed("x", changed!.seal("x")) && changed!.isSealed("x", both!.seal("x"))).toBe(true);
    expect(first!.isSealed("x", changed!.seal("x"))).toBe(false);
  });

  it("keeps its version while it runs, and uses a new version of Vault after a restart", async () => {
    const running = await openSigner();
    rotateTransitKey(vault.transit.get("paraph")!);
    const signature = new Uint8Array(await running.sign(bytes));
    expect(await isSignatureValid(running.publicKeys[0]!, signature, bytes)).toBe(true);
    const restarted = await openSigner();
    expect(restarted.keyId).not.toBe(running.keyId);
    expect(restarted.publicKeys.map(({ kid }) => kid)).toEqual([restarted.keyId, running.keyId]);
  });

  it("accepts the seals and lists the receipts' keys of the key files that it replaces", async () => {
    const file = createFileSigner(join(folder, "files/signing.pem"));
    const signer = await openSigner({}, { earlierKeys: "files" });
    expect(signer.isSealed("pay 10", file.seal("pay 10"))).toBe(true);
    expect(signer.publicKeys.map(({ kid }) => kid)).toEqual([signer.keyId, file.keyId]);
    await expect(openSigner({}, { earlierKeys: "nowhere" })).rejects.toThrow("does not exist");
  });

  it("rejects a signature of another key under the same name and version", async () => {
    const signer = await openSigner();
    createTransitKey(vault, "paraph");
    await expect(signer.sign(bytes)).rejects.toMatchObject({ code: "vault-invalid" });
  });

  it("says what is wrong with a key, and what to do", async () => {
    await expect(openSigner({}, { key: "lost" })).rejects.toThrow(
      "`vault write -f transit/keys/lost type=ed25519`",
    );
    createTransitKey(vault, "curve", "ecdsa-p256");
    await expect(openSigner({}, { key: "curve" })).rejects.toThrow("has the type `ecdsa-p256`");
    createTransitKey(vault, "derived").derived = true;
    await expect(openSigner({}, { key: "derived" })).rejects.toThrow("without derivation");
    await expect(openSigner({}, { sealVersions: [3] })).rejects.toThrow("latest key version is 1");
    vault.forbidden.add("transit/hmac/paraph");
    await expect(openSigner()).rejects.toThrow(/POST transit\/hmac\/paraph \(403\).*policy allows this path/);
  });

  it("reports a Vault that is sealed or does not answer as unavailable", async () => {
    const signer = await openSigner();
    vault.failing = 503;
    await expect(signer.sign(bytes)).rejects.toMatchObject({
      code: "vault-unavailable",
      message: expect.stringContaining("Vault is sealed"),
    });
    vault.failing = undefined;
    expect(await signer.sign(bytes)).toHaveLength(64);
    await expect(openSigner({ url: "http://127.0.0.1:1" })).rejects.toMatchObject({
      code: "vault-unavailable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("follows no redirect, which would send the token elsewhere", async () => {
    const signer = await openSigner();
    vault.failing = 307;
    await expect(signer.sign(bytes)).rejects.toThrow("Set `vault.url` to the active node");
  });

  it("trusts only the configured CA over TLS", async () => {
    const secure = await startVaultDouble({ cert, key: certificateKey });
    onTestFinished(() => secure.stop());
    secure.tokens.set("hvs.given", { seconds: 0, renewable: false });
    createTransitKey(secure, "paraph");
    await expect(openSigner({ url: secure.url })).rejects.toMatchObject({ code: "vault-unavailable" });
    writeFileSync(join(folder, "ca.pem"), cert);
    expect(await (await openSigner({ url: secure.url, ca: "ca.pem" })).sign(bytes)).toHaveLength(64);
    await expect(openSigner({ url: secure.url, ca: "lost.pem" })).rejects.toThrow(
      "lost.pem` cannot be read (ENOENT)",
    );
  });
});

describe("the login", () => {
  it("reads a token from a file, and reads it again when Vault rejects the old one", async () => {
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, "hvs.given\n");
    const signer = await openSigner({ auth: { tokenFile } });
    vault.tokens.delete("hvs.given");
    vault.tokens.set("hvs.newer", { seconds: 60, renewable: true });
    await expect(signer.sign(bytes)).rejects.toMatchObject({ code: "vault-denied" });
    writeFileSync(tokenFile, "hvs.newer\n");
    expect(await signer.sign(bytes)).toHaveLength(64);
  });

  it("does not log in again if only a policy forbids the request", async () => {
    const signer = await openSigner();
    vault.forbidden.add("transit/sign/paraph");
    vault.requests.length = 0;
    await expect(signer.sign(bytes)).rejects.toMatchObject({ code: "vault-denied" });
    expect(vault.requests).toEqual(["POST transit/sign/paraph", "GET auth/token/lookup-self"]);
  });

  it.each([
    ["an AppRole", "secret-id", { appRole: { roleId: "paraph", secretIdFile: "login" } }],
    ["Kubernetes", "jwt", { kubernetes: { role: "paraph", tokenFile: "login" } }],
  ])("uses %s, and logs in again when its token expired", async (_, secret, auth) => {
    writeFileSync(join(folder, "login"), `${secret}\n`);
    const signer = await openSigner({ auth });
    vault.tokens.clear();
    const signatures = await Promise.all([signer.sign(bytes), signer.sign(bytes)]);
    expect(signatures.map(({ length }) => length)).toEqual([64, 64]);
    expect(vault.requests.filter((each) => each.endsWith("/login"))).toHaveLength(2);
  });

  it("names what is missing for the login", async () => {
    const session = (auth: VaultConfig["auth"]) =>
      openVaultSession(connectVault({ url: vault.url, timeoutMs }), {
        ...context(),
        auth,
        environment: {},
      });
    await expect(session(undefined)).rejects.toThrow("Set the variable VAULT_TOKEN");
    await expect(session({ tokenFile: "lost" })).rejects.toThrow(
      "lost` for the login to Vault cannot be read (ENOENT)",
    );
    await expect(session({ appRole: { roleId: "x", secretIdFile: "login" } })).rejects.toThrow(
      "invalid role or secret ID",
    );
  });

  it("renews the token after half of its time, repeats a failed renewal, and logs in again near the maximum", async () => {
    writeFileSync(join(folder, "login"), "secret-id");
    const planned: { run: () => void; ms: number }[] = [];
    let next = Promise.withResolvers<void>();
    const session = await openVaultSession(connectVault({ url: vault.url, timeoutMs }), {
      ...context(),
      auth: { appRole: { roleId: "paraph", secretIdFile: "login" } },
      schedule: (run, ms) => {
        planned.push({ run, ms });
        next.resolve();
        return () => {};
      },
    });
    onTestFinished(() => session.close());
    const runPlanned = async () => {
      vault.requests.length = 0;
      next = Promise.withResolvers();
      planned.shift()!.run();
      await next.promise;
    };
    const [token] = [...vault.tokens.keys()].slice(-1);
    expect(planned[0]!.ms).toBe(1_800_000);
    await runPlanned();
    expect([vault.requests, planned[0]!.ms]).toEqual([["POST auth/token/renew-self"], 1_800_000]);
    vault.failing = 503;
    await runPlanned();
    expect([problems, planned[0]!.ms]).toEqual([["vault-unavailable"], 15_000]);
    vault.failing = undefined;
    vault.tokens.set(token!, { seconds: 600, renewable: true });
    await runPlanned();
    expect(vault.requests).toEqual(["POST auth/token/renew-self", "POST auth/approle/login"]);
  });
});

describe("the KV engine as the source of secrets", () => {
  const open = async () => {
    const secrets = await openVaultSecrets({ url: vault.url, timeout, secrets: {} }, context());
    onTestFinished(() => secrets.close());
    vault.requests.length = 0;
    return secrets.find;
  };

  it("[TRUST 10] reads the field `value` at the path of the tenant, and no other tenant's", async () => {
    vault.secrets.set("paraph/acme/github", { value: "gh-1" });
    vault.secrets.set("paraph/other/github", { value: "gh-2" });
    const find = await open();
    expect([await find("acme", "github"), await find("other", "github")]).toEqual(["gh-1", "gh-2"]);
    expect([await find("acme", "lost"), await find("../other", "github")]).toEqual([undefined, undefined]);
    expect(vault.requests[0]).toBe("GET secret/data/paraph/acme/github");
  });

  it("finds no secret whose newest version is deleted, and explains one without `value`", async () => {
    vault.secrets.set("paraph/acme/deleted", null);
    vault.secrets.set("paraph/acme/token", { token: "gh-1" });
    const find = await open();
    expect(await find("acme", "deleted")).toBeUndefined();
    await expect(find("acme", "token")).rejects.toMatchObject({
      code: "credential-missing",
      kind: "permanent",
    });
  });

  it("[TRUST 10] a failure is an error and not a missing secret, names no value, and is not kept", async () => {
    vault.secrets.set("paraph/acme/github", { value: "gh-1" });
    const find = await open();
    vault.failing = 503;
    await expect(find("acme", "github")).rejects.toMatchObject({
      code: "credential-unavailable",
      kind: "not-performed",
    });
    vault.failing = undefined;
    expect(await find("acme", "github")).toBe("gh-1");
    vault.forbidden.add("secret/data/paraph/acme/npm");
    await expect(find("acme", "npm")).rejects.toMatchObject({ code: "credential-denied", kind: "permanent" });
  });
});
