import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { openTcpProxy, type TcpProxy, toProxyUrl } from "../../../../../test/support/servers/tcp-proxy.ts";
import { beginProcessLease, connectDatabase, type Database, PostgresStore, provision } from "../index.ts";
import {
  createClosingTransition,
  createIntentTransition,
  createIntentWrites,
  createTestCall,
} from "./test-call.ts";

const tenant = "acme";
const database = await createTestDatabase();
let proxy: TcpProxy;
/** The process whose answers get lost, and another process. */
let db: Database;
let direct: Database;
const lease = await beginProcessLease(database.url);

beforeAll(async () => {
  proxy = await openTcpProxy(Number(new URL(database.url).port));
  db = await connectDatabase(toProxyUrl(database.url, proxy));
  direct = await connectDatabase(database.url);
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
  });
});
afterAll(async () => {
  await lease.end();
  await db.close();
  await direct.close();
  await proxy.close();
});

const countIntents = async (call: string) =>
  (await database.query("select count(*)::int as n from paraph.intent where call = $1", [call]))[0]?.n;

/** Runs a write whose answer gets lost, and `meanwhile` after PostgreSQL has committed it. */
async function loseAnswer<T>(
  call: string,
  write: (store: PostgresStore) => Promise<T>,
  meanwhile = async () => {},
) {
  // The pool must have a connection, because a connection cannot begin while the server is mute.
  await db.app.query("select 1");
  proxy.mode = "mute";
  const writing = write(new PostgresStore(db.app, lease));
  writing.catch(() => {});
  await expect.poll(() => countIntents(call)).toBe(1);
  await meanwhile();
  proxy.mode = "pass";
  proxy.cut();
  return writing;
}

it("[P7] an opening whose answer got lost is recognised as this process's own, and writes one intent", async () => {
  const call = createTestCall(tenant, createIntentWrites());
  expect(await loseAnswer(call.call, (store) => store.open(call))).toEqual({ kind: "opened" });
  expect(await countIntents(call.call)).toBe(1);
});

it("[P7] a transition whose answer got lost is recognised as this process's own, and writes one intent", async () => {
  const call = createTestCall(tenant);
  await new PostgresStore(direct.app, lease).open(call);
  const commit = (store: PostgresStore) => store.commit(createIntentTransition(call));
  expect(await loseAnswer(call.call, commit)).toEqual({ kind: "done", epoch: 2, wake: [] });
  expect(await countIntents(call.call)).toBe(1);
});

it("[fence] the same transition of another segment is not taken for one's own", async () => {
  const call = createTestCall(tenant);
  const other = new PostgresStore(direct.app, lease);
  await other.open(call);
  await db.app.query("select 1");
  proxy.mode = "drop";
  const writing = new PostgresStore(db.app, lease).commit(createIntentTransition(call));
  expect(await other.commit(createIntentTransition(call))).toMatchObject({ kind: "done" });
  proxy.mode = "pass";
  proxy.cut();
  expect(await writing).toEqual({ kind: "lost" });
});

it("[fence] a process does not act on its own intent if the call has changed since", async () => {
  const call = createTestCall(tenant, createIntentWrites());
  const close = async () => {
    await new PostgresStore(direct.app, lease).commit(createClosingTransition(call, { epoch: 1 }));
  };
  expect(await loseAnswer(call.call, (store) => store.open(call), close)).toMatchObject({
    kind: "exists",
    call: { state: "closed" },
  });
});

it("[P15] a process that was declared dead does not act on its own intent", async () => {
  const gone = await beginProcessLease(database.url);
  const call = createTestCall(tenant, createIntentWrites());
  const open = () => new PostgresStore(db.app, gone).open(call);
  expect(await loseAnswer(call.call, open, () => gone.end())).toMatchObject({ kind: "exists" });
});

it("a write that never reached PostgreSQL is repeated, and writes one intent", async () => {
  const call = createTestCall(tenant, createIntentWrites());
  await db.app.query("select 1");
  proxy.mode = "drop";
  const writing = new PostgresStore(db.app, lease).open(call);
  // The loop of the event queue has sent the statement before the next answer of another connection.
  await direct.app.query("select 1");
  proxy.mode = "pass";
  proxy.cut();
  await expect(writing).resolves.toEqual({ kind: "opened" });
  expect(await countIntents(call.call)).toBe(1);
});

it("without a connection, a write fails at once and is not repeated", async () => {
  proxy.mode = "refuse";
  proxy.cut();
  const call = createTestCall(tenant, createIntentWrites());
  // The pool may still have connections that it does not yet know to be broken. A write on one of them is repeated.
  await expect.poll(() => db.app.totalCount).toBe(0);
  await expect(new PostgresStore(db.app, lease).open(call)).rejects.toThrow("Connection terminated");
  proxy.mode = "pass";
  expect(await countIntents(call.call)).toBe(0);
});

it("a write without an intent is not repeated, because nothing was begun that only this process could end", async () => {
  const call = createTestCall(tenant);
  await db.app.query("select 1");
  proxy.mode = "mute";
  const writing = new PostgresStore(db.app, lease).open(call);
  writing.catch(() => {});
  const isWritten = async () => (await new PostgresStore(direct.app, lease).load(call)) !== undefined;
  await expect.poll(isWritten).toBe(true);
  proxy.mode = "pass";
  proxy.cut();
  await expect(writing).rejects.toThrow("Connection terminated");
});
