import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineCapability } from "@paraph/core";
import { createFileSigner, defineConfig, startParaph } from "@paraph/server";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { loadPolicies } from "../packages/server/src/policy/cedar/index.ts";
import { connectDatabase, createPolicySetStore, provision } from "../packages/server/src/postgres/index.ts";
import { createCatalog, createPolicyDocument } from "../packages/server/src/services/catalog.ts";
import { createTestDatabase } from "./support/servers/database.ts";

const folder = await mkdtemp(join(tmpdir(), "paraph-preview-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const database = await createTestDatabase();
const key = await provision(database.ownerUrl, async (p) => {
  await p.addTenant("acme");
  await p.addPrincipal({ tenant: "acme", id: "owner", kind: "person" });
  await p.addPrincipal({ tenant: "acme", id: "bot", kind: "agent", owner: "owner" });
  return p.createKey("acme", "bot");
});
const secret = "what is in the vault now";
const config = defineConfig({
  capabilities: [
    defineCapability({
      name: "vault.change",
      version: 1,
      summary: "Change",
      effect: "write",
      idempotency: "natural",
      input: z.object({}),
      output: z.object({}),
      preview: async () => ({ changes: [{ kind: "update", target: "vault", diff: secret }], basis: 1 }),
      apply: async () => ({}),
    }),
  ],
  unattended: ["vault.change"],
});
const signer = createFileSigner(join(folder, "signing.pem"));

async function start() {
  const paraph = await startParaph({
    config,
    folder,
    databaseUrl: database.url,
    signer,
    publicKeys: [signer.publicKey],
    roles: ["api"],
    log: () => {},
    version: "0.0.0",
  });
  afterAll(() => paraph.stop());
  return async () => {
    const response = await fetch(`${paraph.url}/v1/previews`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ capability: "vault.change", input: {} }),
    });
    const text = await response.text();
    return { ruling: JSON.parse(text).ruling?.kind ?? JSON.parse(text).ruling, shows: text.includes(secret) };
  };
}

/** Publishes a policy set that forbids the capability, as another process would. */
async function forbid(): Promise<void> {
  const contracts = createCatalog(config, new Map())
    .everything()
    .map(({ contract }) => contract);
  const before = createPolicyDocument(config, contracts, folder);
  const text = '@id("no-vault")\nforbid (principal, action == Action::"vault.change", resource);';
  const document = { ...before, sources: [...before.sources, { file: "no.cedar", text }] };
  const { version } = loadPolicies(document as never, contracts);
  const db = await connectDatabase(database.url);
  const sets = createPolicySetStore(db.app);
  await sets.put("acme", { version, document: document as never }, "owner");
  await sets.activate("acme", { id: "act_1", version, by: "owner" });
  await db.close();
}

it("[P5] the active policy rules on a preview, in a process that started before its activation and in one after", async () => {
  const running = await start();
  expect(await running()).toEqual({ ruling: "allow", shows: true });
  await forbid();
  expect(await running()).toEqual({ ruling: "block", shows: false });
  const fresh = await start();
  expect(await fresh()).toEqual({ ruling: "block", shows: false });
});
