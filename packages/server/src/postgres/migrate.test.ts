import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { hashSchema } from "../../../../scripts/hash-schema.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/support/servers/database.ts";
import { type Generation, readGeneration } from "./generation.ts";
import { beginProcessLease, connectDatabase, createPolicySetStore, migrateDatabase } from "./index.ts";

const sql = fileURLToPath(new URL("./sql", import.meta.url));
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Creates the files of another version, with its own generation and one function of its own. */
async function createVersionFolder(given: Partial<Generation>, body: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "paraph-version-"));
  folders.push(folder);
  await cp(sql, folder, { recursive: true });
  await writeFile(join(folder, "generation.json"), JSON.stringify({ ...(await readGeneration()), ...given }));
  await appendFile(
    join(folder, "functions/webhook.sql"),
    `\ncreate or replace function paraph.which() returns int language sql as 'select ${body}';\n`,
  );
  return folder;
}

async function connectAsOwner({ ownerUrl }: TestDatabase, name = "test"): Promise<Client> {
  const client = new Client({ connectionString: ownerUrl, application_name: name });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const { generation } = await readGeneration();
const newer = await createVersionFolder({ generation: generation + 1 }, 2);
const older = await createVersionFolder({ generation: generation - 1 }, 1);

it("[P5] an older version does not reinstall its functions unless a downgrade is allowed", async () => {
  const database = await createTestDatabase();
  const which = async () => (await database.query("select paraph.which() as it"))[0]?.it;
  await migrateDatabase(database.ownerUrl, { folder: newer });
  await expect(migrateDatabase(database.ownerUrl, { folder: older })).rejects.toMatchObject({
    code: "schema-newer",
  });
  expect(await which()).toBe(2);
  await migrateDatabase(database.ownerUrl, { folder: older, allowDowngrade: true });
  expect(await which()).toBe(1);
  await migrateDatabase(database.ownerUrl, { folder: newer });
  expect(await which()).toBe(2);
});

it("[P5] the database itself rejects a version that predates generations", async () => {
  const database = await createTestDatabase();
  const text =
    "insert into public.paraph_migration values ('functions', 'old') on conflict (name) do update set hash = excluded.hash";
  await expect(database.query(text)).rejects.toThrow("newer version of Paraph");
});

it("a downgrade across a migration is refused, even if downgrades are allowed", async () => {
  const database = await createTestDatabase();
  const later = await createVersionFolder({ generation: generation + 1 }, 2);
  await writeFile(join(later, "migrations/999_later.sql"), "create table paraph.later (id int);");
  await migrateDatabase(database.ownerUrl, { folder: later });
  await expect(
    migrateDatabase(database.ownerUrl, { folder: older, allowDowngrade: true }),
  ).rejects.toMatchObject({
    code: "schema-newer",
  });
});

it("[P11] Paraph refuses to migrate if the text of an applied migration changed", async () => {
  const database = await createTestDatabase();
  const edited = await createVersionFolder({ generation: generation + 1 }, 2);
  await appendFile(join(edited, "migrations/001_trunk.sql"), "\n-- edited\n");
  await expect(migrateDatabase(database.ownerUrl, { folder: edited })).rejects.toMatchObject({
    code: "migration-changed",
  });
});

it("[P5] code connects only to database functions that serve its generation", async () => {
  const database = await createTestDatabase();
  const become = (there: number, serves: number) =>
    database.query(
      `create or replace function paraph.schema_generation() returns table (generation int, serves int) language sql immutable as 'select ${there}, ${serves}'`,
    );
  const connects = () =>
    connectDatabase(database.url).then(
      (db) => db.close().then(() => "connected"),
      (error) => error.code,
    );
  expect(await connects()).toBe("connected");
  await become(generation + 1, generation);
  expect(await connects()).toBe("connected");
  await become(generation + 1, generation + 1);
  expect(await connects()).toBe("schema-newer");
  await become(generation - 1, 0);
  expect(await connects()).toBe("schema-older");
  await database.query("drop function paraph.schema_generation()");
  expect(await connects()).toBe("schema-older");
});

it("[P5] an older version or a superseded process does not reactivate its configured policy", async () => {
  const database = await createTestDatabase();
  const db = await connectDatabase(database.url);
  const sets = createPolicySetStore(db.app);
  const inForce = async () => (await sets.findActive("acme"))?.version;
  const configure = (version: string, expected?: string) =>
    sets.configure({ version, document: {} }, { leaseNumber: 1, expected });
  expect(await configure("one")).toBe("done");
  expect(await configure("two")).toBe("done");
  // The process that configured "one" reloads its adapters.
  expect(await configure("one, reloaded", "one")).toBe("superseded");
  expect(await configure("two, reloaded", "two")).toBe("done");
  // At its start, a version without a generation makes the first call. A version of an earlier generation makes the
  // second.
  await db.app.query("select paraph.configure_policy_set('old', '{}')");
  const earlier = "select paraph.configure_policy_set('old', '{}', $1, null) as it";
  expect((await db.app.query(earlier, [generation - 1])).rows).toEqual([{ it: "superseded" }]);
  expect(await inForce()).toBe("two, reloaded");
  await db.close();
});

it("[P5] an old configuration is not reactivated while newer ones run, regardless of the start order", async () => {
  const database = await createTestDatabase();
  const db = await connectDatabase(database.url);
  const sets = createPolicySetStore(db.app);
  const inForce = async () => (await sets.findActive("acme"))?.version;
  const start = async (version: string, more: { allowDowngrade?: boolean } = {}) => {
    const lease = await beginProcessLease(database.url, { app: db.app });
    const configured = await sets.configure(
      { version, document: {} },
      { leaseNumber: lease.number, ...more },
    );
    return { configured, end: () => lease.end({ acting: false }) };
  };
  const [old, next] = [await start("old"), await start("new")];
  await old.end();
  const again = await start("old");
  expect([old.configured, next.configured, again.configured]).toEqual(["done", "done", "superseded"]);
  expect(await inForce()).toBe("new");
  // If no other process runs, the starting process decides the configuration, even an earlier one. A newer
  // configuration can then replace it again.
  await Promise.all([next.end(), again.end()]);
  const alone = await start("old");
  expect([alone.configured, await inForce()]).toEqual(["done", "old"]);
  const newer = await start("new");
  expect([newer.configured, await inForce()]).toEqual(["done", "new"]);
  // An intended downgrade makes its configuration the newest.
  const back = await start("old", { allowDowngrade: true });
  expect([back.configured, await inForce()]).toEqual(["done", "old"]);
  const late = await start("new");
  expect([late.configured, await inForce()]).toEqual(["superseded", "old"]);
  await Promise.all([alone, newer, back, late].map(({ end }) => end()));
  await db.close();
});

it("new functions lock no table, so a migration that locks one cannot deadlock with running calls", async () => {
  const database = await createTestDatabase();
  const running = await connectAsOwner(database);
  const tables = await database.query("select tablename from pg_tables where schemaname = 'paraph'");
  await running.query("begin");
  for (const { tablename } of tables)
    await running.query(`lock table paraph.${tablename} in row exclusive mode`);
  await expect(migrateDatabase(database.ownerUrl, { folder: newer, maxWaitMs: 0 })).resolves.toEqual([
    { kind: "functions", name: String(generation + 1) },
  ]);
});

it("the generation has the hash of the current schema (`npm run generation` raises it)", async () => {
  expect((await readGeneration()).schema).toBe(await hashSchema(sql));
});

describe("a migration of a database in use", () => {
  /** Creates a newer version that adds a column to the table of calls, and an index. */
  async function createNextVersion() {
    const folder = await createVersionFolder({ generation: generation + 1 }, 2);
    await writeFile(join(folder, "migrations/999_next.sql"), "alter table paraph.call add column next int;");
    await writeFile(
      join(folder, "indexes/call_next.sql"),
      "create index concurrently call_next on paraph.call (next)",
    );
    return folder;
  }
  const names = ["999_next.sql", String(generation + 1), "call_next"];

  it("waits for a lock only briefly at a time, so that other sessions stall briefly", async () => {
    const database = await createTestDatabase();
    const reader = await connectAsOwner(database);
    await reader.query("begin");
    await reader.query("select from paraph.call");
    const attempts: string[] = [];
    const migrating = migrateDatabase(database.ownerUrl, {
      folder: await createNextVersion(),
      onStep: ({ name }) => attempts.push(name),
    });
    // The second attempt shows that the first one gave up.
    await expect.poll(() => attempts.length).toBeGreaterThan(1);
    expect(new Set(attempts)).toEqual(new Set(["999_next.sql"]));
    await reader.query("commit");
    expect((await migrating).map(({ name }) => name)).toEqual(names);
  });

  it("gives up with the names of the oldest transactions, and changes nothing", async () => {
    const database = await createTestDatabase();
    const reader = await connectAsOwner(database, "nightly report");
    await reader.query("begin");
    await reader.query("select from paraph.call");
    const folder = await createNextVersion();
    await expect(migrateDatabase(database.ownerUrl, { folder, maxWaitMs: 0 })).rejects.toMatchObject({
      code: "migration-blocked",
      message: expect.stringContaining("nightly report (process "),
    });
    const due = await migrateDatabase(database.ownerUrl, { folder, dryRun: true });
    expect(due.map(({ name }) => name)).toEqual(names);
  });

  it("builds an index again that an interrupted build left invalid", async () => {
    const database = await createTestDatabase();
    const folder = await createNextVersion();
    await database.query("alter table paraph.call add column next int");
    await database.query("create index call_next on paraph.call (next)");
    await database.query(
      "update pg_index set indisvalid = false where indexrelid = 'paraph.call_next'::regclass",
    );
    await writeFile(join(folder, "migrations/999_next.sql"), "select 1;");
    await migrateDatabase(database.ownerUrl, { folder });
    expect(
      await database.query("select indisvalid from pg_index where indexrelid = 'paraph.call_next'::regclass"),
    ).toEqual([{ indisvalid: true }]);
    expect(await migrateDatabase(database.ownerUrl, { folder })).toEqual([]);
  });

  it("runs once if several processes migrate at the same time", async () => {
    const database = await createTestDatabase();
    const folder = await createNextVersion();
    const all = await Promise.all([1, 2, 3].map(() => migrateDatabase(database.ownerUrl, { folder })));
    expect(all.map((steps) => steps.length).sort()).toEqual([0, 0, 3]);
  });
});

/** Creates a database with the migrations before this one, and one event of this kind. */
async function createOldDatabase(migration: string, kind: string) {
  const database = await createTestDatabase();
  await database.query("drop schema paraph cascade");
  await database.query("drop table public.paraph_migration");
  const old = await createVersionFolder({}, 1);
  for (const name of await readdir(join(old, "migrations")))
    if (name >= migration) await rm(join(old, "migrations", name));
  for (const name of await readdir(join(old, "functions")))
    if (name !== "000_time.sql") await rm(join(old, "functions", name));
  for (const name of await readdir(join(old, "indexes"))) await rm(join(old, "indexes", name));
  await migrateDatabase(database.ownerUrl, { folder: old });
  await database.query(
    "insert into paraph.event (tenant, call, seq, kind, at, data) values ('red', 'call_1', 1, $1, now(), '{}')",
    [kind],
  );
  return database;
}

it("events of a version before generation 37 stay in rows of their own, and later ones continue their numbers", async () => {
  const database = await createOldDatabase("040", "accepted");
  await migrateDatabase(database.ownerUrl);
  const events = ["ruled", "attempted", "closed"].map((kind, at) => ({ kind, at, data: {} }));
  await database.query("select paraph.record('red', 'call_1', $1)", [{ events, payloads: [] }]);
  expect(await database.query("select seq, kind from paraph.event_row order by seq")).toEqual([
    { seq: 1, kind: "accepted" },
    { seq: 4, kind: "closed" },
  ]);
  expect(await database.query("select array_agg(kind order by seq) as kinds from paraph.event")).toEqual([
    { kinds: ["accepted", "ruled", "attempted", "closed"] },
  ]);
});

describe("a database of Paraph 0.1", () => {
  it("is migrated to the new names", async () => {
    const database = await createOldDatabase("024", "said");
    await migrateDatabase(database.ownerUrl);
    expect(await database.query("select kind from paraph.event")).toEqual([{ kind: "commented" }]);
    expect(await database.query("select * from paraph.poll, paraph.undelivered")).toEqual([]);
  });

  it.each(["handed-over", "covered"])(
    "[P11] is refused and stays as it is if a seal includes the old name of %s",
    async (kind) => {
      const database = await createOldDatabase("024", kind);
      await expect(migrateDatabase(database.ownerUrl)).rejects.toThrow("sealed records of Paraph 0.1");
      expect(await database.query("select kind from paraph.event")).toEqual([{ kind }]);
      expect(await database.query("select * from paraph.owed")).toEqual([]);
    },
  );
});
