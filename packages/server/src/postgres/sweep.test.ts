import { admit, advance, Catalog, defineCapability } from "@paraph/core";
import { Outside, outsideRules, plainPolicy } from "@paraph/core/testing";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
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

await provision(database.ownerUrl, async (p) => {
  await p.tenant(tenant);
  await p.principal({ tenant, id: "owner", kind: "person" });
  await p.principal(agent);
});

const pipeline = await testPipeline("sweep");
const offered = defineCapability({
  name: "own.send",
  version: 1,
  summary: "Send a message",
  performer: "agent",
  timeout: "1m",
  effect: "write",
  idempotency: "none",
  input: z.object({ target: z.string() }),
  output: z.object({}),
});
const outside = new Outside(pipeline.clock).capabilities({ gate: async () => {}, alive: () => true });
const ports = pipeline.ports({
  store: new PostgresStore(db.app, life.number),
  policy: plainPolicy({ ...outsideRules, "own.send": "allow" }),
  catalog: new Catalog([...outside, offered]),
});

const open = async (capability: string) =>
  (await admit({ principal: agent, capability, input: { target: "t" } }, ports, () => false)).call.call;

it("[P2] a call that a wrong clock put off by a month is found again, a question that waits so long is left alone", async () => {
  const [ready, soon] = [await open("natural.allowed"), await open("natural.allowed")];
  await open("natural.asked");
  await database.query(
    "update paraph.call set next_at = paraph.now() + (case id when $1 then interval '10 minutes' else interval '30 days' end)",
    [soon],
  );
  expect((await misdated(db.sweeper)).map(({ call }) => call)).toEqual([ready]);
  expect(await misdated(db.sweeper)).toEqual([]);
});

it("[P2] a question and an offer that a wrong clock put off are looked at when they are due, once anybody looks", async () => {
  const waiting = [await open("natural.asked"), await open("own.send")];
  const looks = () =>
    database.query("select next_at from paraph.call where id = any($1) order by id", [waiting]);
  const lookedAt = async () => {
    for (const call of waiting) await advance({ tenant, call }, ports);
    return looks();
  };
  const due = await lookedAt();
  await database.query("update paraph.call set next_at = next_at + interval '30 days' where id = any($1)", [
    waiting,
  ]);
  expect(await lookedAt()).toEqual(due);
});
