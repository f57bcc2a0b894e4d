import { afterAll, expect, it } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { beginLife, connect, PostgresStore, provision } from "./index.ts";

const database = await testDatabase();
await provision(database.ownerUrl, async (p) => {
  await p.tenant("acme");
  await p.principal({ tenant: "acme", id: "bot", kind: "agent" });
});
const db = await connect(database.url);
const life = await beginLife(database.url);
afterAll(async () => {
  await life.end();
  await db.close();
});
it("smoke", async () => {
  const store = new PostgresStore(db.app, life.number);
  const principal = { tenant: "acme", id: "bot", kind: "agent" } as const;
  const opening = {
    tenant: "acme", call: "call_1", principal, key: "k", capability: "a.b", version: 1, contractDigest: "x", requestDigest: "y",
    session: {}, trace: undefined, lockKeys: ["a", "b"], createdAt: 1000, state: "ready", nextAt: 5000,
    events: [{ kind: "accepted", at: 1000, data: { n: 1 } }], payloads: [{ name: "input", salt: "s", value: { t: "\u0000é" } }],
  } as const;
  expect(await store.open(opening)).toEqual({ kind: "opened" });
  console.log(await store.open(opening));
  console.log(await store.lock({ tenant: "acme", call: "call_1", epoch: 1, at: 2000, heldNextAt: 3000, queuedNextAt: 4000 }));
  console.log(await store.commit({ tenant: "acme", call: "call_1", epoch: 2, state: "performing", nextAt: 9000, events: [], intent: { attempt: 1, at: 1, deadline: 2 } }));
  console.dir(await store.load({ tenant: "acme", call: "call_1" }), { depth: 9 });
  console.log(await store.commit({ tenant: "acme", call: "call_1", epoch: 3, state: "closed", nextAt: undefined, outcome: { kind: "failed", code: "x" }, events: [], unlock: true }));
});
