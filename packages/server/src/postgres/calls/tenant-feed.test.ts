import { admit, Catalog } from "@paraph/core";
import { createPlainPolicy, ExternalSystem, externalRules } from "@paraph/core/testing";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { createTestPipeline, testAgent, testTenant } from "../../../../../test/support/test-pipeline.ts";
import { beginProcessLease, connectDatabase, createTenantFeed, PostgresStore, provision } from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

await provision(database.ownerUrl, async (p) => {
  await p.addTenant(testTenant);
  await p.addPrincipal({ tenant: testTenant, id: "owner", kind: "person" });
  await p.addPrincipal(testAgent);
});

const pipeline = await createTestPipeline("feed");
const adapter = new ExternalSystem(pipeline.clock).createCapabilities({
  gate: async () => {},
  alive: () => true,
});
const ports = pipeline.ports({
  store: new PostgresStore(db.app, lease.number),
  policy: createPlainPolicy(externalRules),
  catalog: new Catalog([...adapter]),
});

it("[TRUST 25] a reader that stops reading loses its stream instead of filling the memory", async () => {
  const stop = new AbortController();
  const feed = createTenantFeed(db.app);
  const [slow, fast] = [1, 2].map(() => feed.follow(testAgent, stop.signal, 60_000)) as [Feed, Feed];
  for (const stream of [slow, fast]) expect((await stream.next()).value).toBe("ready");
  const request = { principal: testAgent, capability: "natural.asked", input: { target: "t" } };
  const { call } = await admit(request, ports, () => false);
  for (const from of [1_000, 5_000]) {
    await database.query(
      `insert into paraph.event_row (tenant, call, seq, kind, at, data, epoch)
       select tenant, call, n, 'voted', paraph.now(), '{}', epoch from paraph.event, generate_series($2::int, $2::int + 3999) n
       where call = $1 and seq = 1`,
      [call.call, from],
    );
    // Both readers get the events at the same time. This one reads them.
    for (let left = 4_000; left > 0; ) left -= ((await fast.next()).value as readonly unknown[]).length;
  }
  expect(await slow.next()).toMatchObject({ done: true });
  stop.abort();
  await fast.return(undefined);
});

type Feed = ReturnType<ReturnType<typeof createTenantFeed>["follow"]>;
