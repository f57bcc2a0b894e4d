// The engine that needs only PostgreSQL, with real processes: how messages reach workers, and what happens without them.
import { afterAll, beforeEach, expect, it } from "vitest";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start({ engine: "postgres" });
afterAll(() => cluster.stop());
const { oracle } = cluster;
// This API process leaves every segment to the workers.
const api = await cluster.startProcess("api", { HERE: "0" });
const client = new TestClient(api.url, cluster.keys);

beforeEach(() => {
  oracle.beforeEffect = async () => {};
});

async function call(capability: string) {
  const { body } = await client.call(capability, { name: "door" });
  return body;
}

it("[P14] without any worker, accepted calls wait in the rows, and the first worker performs each once", async () => {
  const calls = [await call("free.keyed"), await call("free.none")];
  const worker = await cluster.startProcess("worker");
  for (const each of calls) {
    expect((await client.waitForOutcome(each.call)).outcome).toMatchObject({ kind: "succeeded" });
    expect(oracle.listEffects(each.call)).toHaveLength(1);
  }
  await worker.stop();
});

it("an API process notifies a worker, so an approved call does not wait for the sweeper", async () => {
  const worker = await cluster.startProcess("worker");
  const waiting = await call("asked.keyed");
  // Sweepers cannot take the call any more: only a message leads to it.
  await cluster.database.query(
    `create function public.hold() returns trigger language plpgsql as $$ begin new.next_at := new.next_at + interval '1 hour'; return new; end $$`,
  );
  await cluster.database.query(
    `create trigger hold before update on paraph.call for each row when (new.next_at is not null and new.state = 'ready') execute function public.hold()`,
  );
  await client.approve(waiting);
  expect((await client.waitForOutcome(waiting.call)).outcome).toMatchObject({ kind: "succeeded" });
  await cluster.database.query("drop trigger hold on paraph.call");
  await worker.stop();
});

it("[TRUST 26] a notification that is not a message is ignored", async () => {
  const worker = await cluster.startProcess("worker");
  const [row] = await cluster.database.query(
    "select worker_url from paraph.process_lease where dead_at is null and worker_url like 'postgres:%'",
  );
  const channel = String(row!.worker_url).slice("postgres:".length);
  for (const payload of ["", "x", "[1]", '["acme","call_1",1]\n["acme"', '["a\\u0000","call_1",1]'])
    await cluster.database.query("select pg_notify($1, $2)", [channel, payload]);
  const { call: id } = await call("free.keyed");
  expect((await client.waitForOutcome(id)).outcome).toMatchObject({ kind: "succeeded" });
  await worker.stop();
});
