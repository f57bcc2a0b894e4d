import { Client } from "pg";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  connectDatabase,
  createProgressStore,
  PostgresStore,
  provision,
} from "../index.ts";
import {
  createClosingTransition,
  createIntentTransition,
  createIntentWrites,
  createTestCall,
} from "./test-call.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
const store = new PostgresStore(db.app, lease.number);
afterAll(async () => {
  await lease.end();
  await db.close();
});
await provision(database.ownerUrl, (p) => p.addTenant("acme"));

const progress = createProgressStore(db.app);
const said = { attempt: 2, message: "m", output: "o", putOut: 1 };

it("progress is stored while the call acts, gets a new revision with every write, and is gone after closing", async () => {
  const call = createTestCall("acme");
  await store.open(call);
  await progress.write(call, said);
  expect(await progress.read(call)).toEqual({ epoch: 1, progress: null });
  await store.commit(createIntentTransition(call));
  await progress.write(call, said);
  await progress.write(call, { ...said, fraction: 0.5 });
  expect(await progress.read(call)).toEqual({
    epoch: 2,
    progress: { ...said, revision: 2, fraction: 0.5 },
  });
  // Progress of an older attempt is ignored.
  await progress.write(call, { ...said, attempt: 1, message: "late" });
  expect((await progress.read(call))?.progress).toMatchObject({ attempt: 2, message: "m", revision: 2 });
  await store.commit(createClosingTransition(call));
  await progress.write(call, said);
  expect(await progress.read(call)).toEqual({ epoch: 3, progress: null });
  expect(await progress.read({ tenant: "busy", call: call.call })).toBeUndefined();
});

it("progress that is written while the call stops acting is not left behind", async () => {
  const call = createTestCall("acme", createIntentWrites());
  await store.open(call);
  const mover = new Client({ connectionString: database.ownerUrl });
  await mover.connect();
  onTestFinished(() => mover.end());
  await mover.query("begin");
  await mover.query("update paraph.call set state = 'delayed' where id = $1", [call.call]);
  let isWritten = false;
  const writing = progress.write(call, said).then(() => {
    isWritten = true;
  });
  await eventually(async () => expect(isWritten || (await isWaitingForLock())).toBe(true));
  await mover.query("commit");
  await writing;
  expect(await database.query("select call from paraph.progress")).toEqual([]);
});

async function isWaitingForLock(): Promise<boolean> {
  const text =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%write_progress%'";
  return (await database.query(text)).length > 0;
}
