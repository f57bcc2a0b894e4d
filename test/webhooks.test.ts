import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineCapability } from "@paraph/core";
import { createClient } from "@paraph/sdk";
import { createFileSigner, startParaph } from "@paraph/server";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { provision } from "../packages/server/src/postgres/index.ts";
import { WebhookReceiver } from "../packages/server/src/webhooks/testing/receiver.ts";
import { createTestDatabase } from "./support/servers/database.ts";

const folder = await mkdtemp(join(tmpdir(), "paraph-webhooks-"));
const [database, receiver] = await Promise.all([createTestDatabase(), new WebhookReceiver().start()]);
afterAll(async () => {
  await receiver.stop();
  await rm(folder, { recursive: true, force: true });
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

it("a configured endpoint receives a call's acceptance and outcome, signed with the tenant's secret", async () => {
  const secret = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
  await mkdir(join(folder, "secrets", "acme"), { recursive: true });
  await writeFile(join(folder, "secrets", "acme", "hook"), secret);
  const key = await provision(database.ownerUrl, async (p) => {
    await p.addTenant("acme");
    await p.addPrincipal({ tenant: "acme", id: "bot", kind: "agent" });
    return p.createKey("acme", "bot");
  });
  const signer = createFileSigner(join(folder, "signing.pem"));
  const paraph = await startParaph({
    config: {
      policy: "permissive",
      capabilities: [note],
      unattended: ["notes.write"],
      webhooks: [
        { url: receiver.url, secret: "hook", events: ["accepted", "succeeded"], allowLoopback: true },
      ],
    },
    folder,
    databaseUrl: database.url,
    signer,
    publicKeys: [signer.publicKey],
    version: "0.0.0",
    log: () => {},
  });
  try {
    const client = createClient({ url: paraph.url!, key });
    const { kind, call } = await client.call("notes.write", { text: "x" }, { waitMs: 120_000 });
    expect(kind).toBe("succeeded");
    const got = await receiver.waitForCount(2);
    const types = got.map(({ body, headers }) => {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(event).toMatchObject({ subject: call });
      return (event as { type: string }).type;
    });
    expect(types).toEqual(["dev.paraph.call.accepted.v1", "dev.paraph.call.succeeded.v1"]);
  } finally {
    await paraph.stop();
  }
});
