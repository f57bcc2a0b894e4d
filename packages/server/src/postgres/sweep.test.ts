import { admit, Catalog } from "@paraph/core";
import { Outside, outsideRules, plainPolicy } from "@paraph/core/testing";
import { afterAll, expect, it } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { agent, tenant, testPipeline } from "../../../../test/pipeline.ts";
import { beginLife, connect, misdated, PostgresStore, provision } from "./index.ts";

const database = await testDatabase();
const db = await connect(database.url);
const life = await beginLife(database.url);
afterAll(async () => {
  await life.end();
  await db.close();
});

it("[P2] a call that a wrong clock put off by a month is found again, a question that waits so long is left alone", async () => {
  await provision(database.ownerUrl, async (p) => {
    await p.tenant(tenant);
    await p.principal({ tenant, id: "owner", kind: "person" });
    await p.principal(agent);
  });
  const pipeline = await testPipeline("misdated");
  const host = { gate: async () => {}, alive: () => true };
  const ports = pipeline.ports({
    store: new PostgresStore(db.app, life.number),
    policy: plainPolicy(outsideRules),
    catalog: new Catalog(new Outside(pipeline.clock).capabilities(host)),
  });
  const open = async (capability: string) =>
    (await admit({ principal: agent, capability, input: { target: "t" } }, ports, () => false)).call.call;
  const [ready, soon] = [await open("natural.allowed"), await open("natural.allowed")];
  await open("natural.asked");
  await database.query(
    "update paraph.call set next_at = paraph.now() + (case id when $1 then interval '10 minutes' else interval '30 days' end)",
    [soon],
  );
  expect((await misdated(db.sweeper)).map(({ call }) => call)).toEqual([ready]);
  expect(await misdated(db.sweeper)).toEqual([]);
});
