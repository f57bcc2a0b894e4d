// Tests a real failover with a primary and a streaming standby on loopback. The primary is killed and the standby is
// promoted, while every Paraph process survives.
import { execFile } from "node:child_process";
import { appendFile, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type LocalPostgres, startPostgres } from "@paraph/dev-servers";
import { Client } from "pg";
import { afterAll, expect, it } from "vitest";
import { createIntentWrites, createTestCall } from "../packages/server/src/postgres/calls/test-call.ts";
import {
  beginProcessLease,
  connectDatabase,
  listOrphanedCalls,
  migrateDatabase,
  PostgresStore,
  provision,
  watchLeases,
} from "../packages/server/src/postgres/index.ts";
import { openTcpProxy, toProxyUrl } from "./support/servers/tcp-proxy.ts";

const folder = await mkdtemp(join(tmpdir(), "paraph-failover-"));
await chmod(folder, 0o711);
const [primary, standby] = [join(folder, "primary"), join(folder, "standby")];
const running: { stop(): Promise<unknown> }[] = [];
afterAll(async () => {
  for (const each of running.reverse()) await each.stop();
  await rm(folder, { recursive: true, force: true });
});

async function asOwner(server: LocalPostgres, text: string, values: unknown[] = [], database = "paraph") {
  const client = new Client({ connectionString: server.url.replace(/\/postgres$/, `/${database}`) });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Starts the pair. The standby starts from a copy of the stopped primary's data, and follows the primary. */
async function startPair(): Promise<{ first: LocalPostgres; second: LocalPostgres }> {
  const born = await startPostgres({ folder: primary });
  await asOwner(born, "create database paraph", [], "postgres");
  const owner = born.url.replace(/\/postgres$/, "/paraph");
  await migrateDatabase(owner);
  await provision(owner, async (p) => {
    await p.createLogin("paraph", "paraph");
    await p.addTenant("acme");
    await p.addPrincipal({ tenant: "acme", id: "bot", kind: "agent" });
  });
  await born.stop();
  await promisify(execFile)("cp", ["-a", primary, standby]);
  const first = await startPostgres({ folder: primary, port: born.port });
  running.push(first);
  const data = join(standby, "postgres/data");
  const { password } = new URL(first.url);
  await appendFile(
    join(data, "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${first.port} user=postgres password=${password}'\n`,
  );
  await writeFile(join(data, "standby.signal"), "");
  const second = await startPostgres({ folder: standby });
  running.push(second);
  return { first, second };
}

it("[P7] after a failover frees every lock, only a process that does not return counts as dead", async () => {
  const { first, second } = await startPair();
  const doors = [await openTcpProxy(first.port), await openTcpProxy(first.port)] as const;
  const [way, leaseWay] = doors;
  for (const door of doors) running.push({ stop: () => door.close() });
  const login = Object.assign(new URL(first.url), {
    username: "paraph",
    password: "paraph",
    pathname: "/paraph",
  }).href;
  const db = await connectDatabase(toProxyUrl(login, way));
  running.push({ stop: () => db.close() });
  const lease = await beginProcessLease(toProxyUrl(login, leaseWay));
  running.push({ stop: () => lease.end() });
  const store = new PostgresStore(db.app, lease);
  const call = createTestCall("acme", createIntentWrites());
  await store.open(call);
  const intents = () => asOwner(second, "select life from paraph.intent");
  await expect.poll(intents).toEqual([{ life: lease.number }]);

  for (const door of doors) {
    door.mode = "refuse";
    door.target = second.port;
    door.cut();
  }
  await first.kill();
  await asOwner(second, "select pg_promote()");
  // The other processes reach the new primary before this process does, and find this process's lock free.
  way.mode = "pass";

  const writerGone = async () => (await store.load(call))?.attempts[0]?.writerGone;
  expect([await writerGone(), await listOrphanedCalls(db.sweeper)]).toEqual([false, []]);
  const { rows } = await db.sweeper.query("select paraph.server_incarnation() as it");
  expect(rows[0].it).toMatch(/\/00000002$/);
  let ms = 0;
  const watch = watchLeases(db.sweeper, { graceMs: 5_000, now: () => ms });
  const lookAt = async (...times: number[]) => {
    for (ms of times) await watch.check();
    return writerGone();
  };
  expect(await lookAt(0, 2_000, 4_000)).toBe(false);
  const held = async () =>
    (await db.app.query("select paraph.lease_held($1) as held", [lease.number])).rows[0].held;
  leaseWay.mode = "pass";
  await expect.poll(held).toBe(true);
  expect(await lookAt(6_000, 8_000)).toBe(false);
  expect(await listOrphanedCalls(db.sweeper)).toEqual([]);

  await lease.end({ acting: true });
  await expect.poll(held).toBe(false);
  expect(await lookAt(10_000, 12_000, 14_000)).toBe(false);
  expect(await lookAt(15_000)).toBe(true);
  expect(await listOrphanedCalls(db.sweeper)).toMatchObject([{ tenant: "acme", call: call.call }]);
});
