// Tests a network that drops packets, a read-only database, and an engine that does not respond. No request may wait
// without a limit.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineCapability } from "@paraph/core";
import { createFileSigner, defineConfig, startParaph } from "@paraph/server";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { provision } from "../packages/server/src/postgres/index.ts";
import { createTestDatabase } from "./support/servers/database.ts";
import { openTcpProxy, toProxyUrl } from "./support/servers/tcp-proxy.ts";

const folder = await mkdtemp(join(tmpdir(), "paraph-unreachable-"));
const database = await createTestDatabase();
const databaseDoor = await openTcpProxy(Number(new URL(database.url).port));
const nowhere = "http://127.0.0.1:9";
const sent: string[] = [];
const key = await provision(database.ownerUrl, async (p) => {
  await p.addTenant("acme");
  await p.addPrincipal({ tenant: "acme", id: "owner", kind: "person" });
  await p.addPrincipal({ tenant: "acme", id: "bot", kind: "agent", owner: "owner" });
  return p.createKey("acme", "bot");
});
const note = defineCapability({
  name: "notes.write",
  version: 1,
  summary: "Write a note",
  effect: "write",
  idempotency: "natural",
  input: z.object({ text: z.string() }),
  output: z.object({}),
  apply: async () => ({}),
});
const signer = createFileSigner(join(folder, "signing.pem"));
const paraph = await startParaph({
  config: defineConfig({ capabilities: [note], unattended: ["notes.write"] }),
  folder,
  databaseUrl: toProxyUrl(database.url, databaseDoor),
  restate: { ingressUrl: nowhere, adminUrl: nowhere, publicKeys: [] },
  signer,
  publicKeys: [signer.publicKey],
  roles: ["api"],
  // Every call is left to an engine that accepts messages and never responds.
  maxInlineSegments: 0,
  wrapPorts: (parts) => ({
    ...parts,
    engine: {
      send: ({ call }) => {
        sent.push(call);
        return new Promise(() => {});
      },
    },
  }),
  log: () => {},
  version: "0.0.0",
});
afterAll(async () => {
  await paraph.stop();
  await databaseDoor.close();
  await rm(folder, { recursive: true, force: true });
});

async function ask(path: string, body?: object) {
  const response = await fetch(paraph.url + path, {
    method: body ? "POST" : "GET",
    headers: {
      authorization: `Bearer ${key}`,
      prefer: "wait=0",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  }).catch(() => undefined);
  if (!response) return { status: "no answer" };
  const { code, failing } = (await response.json()) as { code?: string; failing?: string[] };
  return {
    status: response.status,
    ...(code !== undefined && { code, retry: response.headers.has("retry-after") }),
    ...(failing && { failing }),
  };
}
const place = (text: string) => ask("/v1/calls", { capability: "notes.write", input: { text } });

it("[P14] accepting a call does not wait for an engine that does not answer", async () => {
  expect([(await place("first")).status, sent.length]).toEqual([202, 1]);
});

it("[P11] the server answers 503 in time while the network to PostgreSQL drops packets, then recovers", async () => {
  expect((await place("before")).status).toBe(202);
  databaseDoor.mode = "drop";
  const [ready, placed] = await Promise.all([ask("/readyz"), place("lost")]);
  expect(ready).toEqual({ status: 503, code: "not-ready", retry: true, failing: ["postgres", "engine"] });
  expect(placed).toEqual({ status: 503, code: "database-unavailable", retry: true });
  databaseDoor.mode = "pass";
  await expect.poll(async () => (await place("after")).status).toBe(202);
});

it("[P11] the server is not ready and answers calls with 503 while the database is read-only", async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`alter database ${name} set default_transaction_read_only = on`);
  databaseDoor.cut();
  await expect
    .poll(async () => (await ask("/readyz")) as { failing?: string[] })
    .toMatchObject({ failing: expect.arrayContaining(["postgres"]) });
  await expect
    .poll(() => place("read-only"))
    .toEqual({ status: 503, code: "database-unavailable", retry: true });
  await database.query("set default_transaction_read_only = off");
  await database.query(`alter database ${name} reset default_transaction_read_only`);
  databaseDoor.cut();
  await expect.poll(async () => (await place("after")).status).toBe(202);
});
