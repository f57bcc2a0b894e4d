import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, describe, expect, inject, it } from "vitest";
import { readFault } from "../testing.ts";
import { createSqlFixture, perform, worldOf } from "./testing.ts";

const db = await createSqlFixture(inject("postgres"));
afterAll(() => db[Symbol.asyncDispose]());
await db.sql("create table users (id int primary key, name text, born date, worth numeric, ok boolean)");
await db.sql(
  "insert into users select n, 'user ' || n, '2000-01-01', 10.50, n % 2 = 0 from generate_series(1, 500) n",
);
await db.sql(`create function meddle() returns int language sql volatile as 'select 1'`);

it("reads with parameters, and returns integers and booleans as JSON and other values as PostgreSQL's text", async () => {
  const sql = "select id, name, born, worth, ok, null as nothing from users where id = $1";
  expect(await perform(db.query, { sql, parameters: [2] })).toEqual({
    columns: ["id", "name", "born", "worth", "ok", "nothing"],
    rows: [[2, "user 2", "2000-01-01", "10.50", true, null]],
    truncated: false,
  });
});

it("returns at most the allowed rows and bytes, and reports that the result was truncated", async () => {
  const all = { sql: "select id from users order by id" };
  const some = await perform(db.query, { ...all, limit: 3 });
  expect(some).toEqual({ columns: ["id"], rows: [[1], [2], [3]], truncated: true });
  expect((await perform(db.query, { ...all, limit: 500 })).truncated).toBe(false);
  expect((await perform(db.query, all)).rows).toHaveLength(500);
  const narrow = await db.with({ maxBytes: 40, maxRows: 200 });
  const { rows, truncated } = await perform(narrow.query, { sql: "select name from users order by id" });
  expect(rows.length).toBeLessThan(6);
  expect(truncated).toBe(true);
  // The connection stays usable.
  expect((await perform(narrow.query, { sql: "show server_encoding" })).rows).toEqual([["UTF8"]]);
});

it("accepts `explain`, `values` and `table` statements", async () => {
  const plan = await perform(db.query, { sql: "explain select * from users where id = $1", parameters: [1] });
  expect(JSON.stringify(plan.rows)).toContain("users_pkey");
  expect((await perform(db.query, { sql: "values (1, 'a')" })).rows).toEqual([[1, "a"]]);
  expect((await perform(db.query, { sql: "table users -- all of them", limit: 1 })).truncated).toBe(true);
});

describe("[P3] refuses every statement that is not a plain read, with a specific code", () => {
  it.each([
    ["select 1; select 2", "several-statements"],
    ["", "statement-missing"],
    [" -- nothing", "statement-missing"],
    ["select from where", "syntax-invalid"],
    ["select $1", "parameters-differ"],
    ["update users set name = ''", "not-a-read"],
    ["with gone as (delete from users returning 1) select * from gone", "several-changes"],
    ["select * from users for update", "locking-refused"],
    ["select 1 union (select id from users for share)", "locking-refused"],
    ["select * into copy from users", "into-refused"],
    ["explain analyze select 1", "analyze-refused"],
    ["explain (analyze false) select 1", "analyze-refused"],
    ["explain update users set name = ''", "not-a-read"],
    ["begin", "transaction-refused"],
    ["set role postgres", "set-refused"],
    ["copy users to '/tmp/users'", "copy-refused"],
    ["do $$ begin end $$", "do-refused"],
    ["call meddle()", "call-refused"],
    ["vacuum", "upkeep-refused"],
    ["listen news", "notify-refused"],
    ["prepare p as select 1", "prepared-refused"],
    ["declare c cursor for select 1", "cursor-refused"],
    ["lock table users", "locking-refused"],
    ["grant all on users to public", "rights-refused"],
    ["create extension dblink", "code-refused"],
    ["alter system set work_mem = '1GB'", "statement-refused"],
    ["select pg_terminate_backend(1)", "function-refused"],
    ["select pg_catalog.pg_sleep(1)", "function-refused"],
    ["select pg_read_file('/etc/passwd')", "function-refused"],
    ["select * from pg_ls_dir('/')", "function-refused"],
    ["select set_config('role', 'postgres', false)", "function-refused"],
    ["select lo_import('/etc/passwd')", "function-refused"],
    ["select query_to_xml('delete from users', true, true, '')", "function-refused"],
    ["select pg_advisory_lock(1)", "function-refused"],
    ["select meddle()", "function-refused"],
    ["select nextval('s')", "table-missing"],
    [`select ${"(select ".repeat(300)}1${")".repeat(300)}`, "too-complex"],
  ])("%s", async (sql, code) => {
    const raw = { sql: sql || " " };
    expect(await readFault(perform(db.query, raw))).toBe(`permanent ${code}`);
  });
});

it("calls a volatile function only if the configuration names it", async () => {
  const trusting = await db.with({ functions: ["meddle"] });
  expect((await perform(trusting.query, { sql: "select meddle()" })).rows).toEqual([[1]]);
});

it("[P3] the database stops a view that writes through an allowed function", async () => {
  await db.sql(`create function sly() returns int language sql stable as 'select 1'`);
  await db.sql("create table log (at timestamptz)");
  await db.sql(`create function slyer() returns int language plpgsql as
    'begin insert into log values (now()); return 1; end'`);
  await db.sql("create view quiet as select slyer() as one");
  const read = { sql: "select * from quiet" };
  expect(await readFault(perform(db.query, read))).toBe("permanent function-refused");
  const trusting = await db.with({ functions: ["slyer"] });
  expect(await readFault(perform(trusting.query, read))).toBe("permanent not-a-read");
  expect(await db.sql("select * from log")).toEqual([]);
});

it("reads as the configured role, and cannot read tables that the role may not read", async () => {
  await db.sql("create table secrets (word text)");
  await db.sql("drop role if exists sql_readers");
  await db.sql("create role sql_readers");
  await db.sql("grant select on users to sql_readers");
  const lesser = await db.with({ readRole: "sql_readers" });
  expect((await perform(lesser.query, { sql: "select current_user" })).rows).toEqual([["sql_readers"]]);
  expect(await readFault(perform(lesser.query, { sql: "select * from secrets" }))).toBe(
    "permanent not-permitted",
  );
  await db.sql("drop owned by sql_readers");
  await db.sql("drop role sql_readers");
});

it("[P15] stops the running statement at the deadline or timeout", async () => {
  const slow = await db.with({ functions: ["pg_sleep"] });
  const deadline = new AbortController();
  const running = readFault(perform(slow.query, { sql: "select pg_sleep(60)" }, { signal: deadline.signal }));
  const sleeping =
    "select count(*)::int as n from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'";
  await expect.poll(async () => (await db.sql(sleeping))[0]?.n, { interval: 10 }).toBe(1);
  deadline.abort();
  expect(await running).toBe("not-performed stopped");
  expect((await db.sql(sleeping))[0]?.n).toBe(0);
  const brief = await db.with({ functions: ["pg_sleep"], timeout: "50ms" });
  expect(await readFault(perform(brief.query, { sql: "select pg_sleep(60)" }))).toBe("permanent too-slow");
});

it("[P15] does not start a statement whose deadline passes while it waits for a connection", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
  const narrow = await db.with({ functions: ["pg_sleep"], connections: 1 }, "${DB}");
  const [first, second] = [new AbortController(), new AbortController()];
  const sleep = (sql: string, { signal }: AbortController, found = () => {}) => {
    const credential = async () => {
      found();
      return db.url;
    };
    return readFault(perform(narrow.query, { sql }, { signal, credential }));
  };
  const running = sleep("select pg_sleep(61)", first);
  const asleep =
    "select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep(6_)' and state = 'active'";
  await expect.poll(async () => (await db.sql(asleep))[0]?.n, { interval: 10 }).toBe(1);
  // When the second query has its address, it requests the connection and waits.
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = sleep("select pg_sleep(62)", second, () => setImmediate(resolve));
  await promise;
  second.abort();
  first.abort();
  expect(await Promise.all([running, waiting])).toEqual(["not-performed stopped", "not-performed stopped"]);
  expect((await db.sql(asleep))[0]?.n).toBe(0);
});

it("[P15] reports that it was stopped when the connection fails after its deadline", async () => {
  const deadline = new AbortController();
  const server = createServer((socket) => {
    deadline.abort();
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const broken = await db.with({}, `postgres://nobody@127.0.0.1:${port}/nothing`);
  expect(await readFault(perform(broken.query, { sql: "select 1" }, { signal: deadline.signal }))).toBe(
    "not-performed stopped",
  );
  server.close();
  await once(server, "close");
});

it("[TRUST 18] PostgreSQL parses strings as Paraph does, even if the database sets other string rules", async () => {
  const sql = "select '\\' as one, ' or true -- ' as two";
  const name = new URL(db.url).pathname.slice(1);
  await db.sql(`alter database ${name} set standard_conforming_strings = off`);
  const anew = await db.with({});
  expect((await perform(anew.query, { sql })).rows).toEqual([["\\", " or true -- "]]);
  await db.sql(`alter database ${name} reset standard_conforming_strings`);
});

it("[P8] a query to an unavailable database is not-performed, and one to a missing database is permanent", async () => {
  const unavailable = await db.with({}, "postgres://nobody@127.0.0.1:1/nothing");
  expect(await readFault(perform(unavailable.query, { sql: "select 1" }))).toBe(
    "not-performed database-unavailable",
  );
  const stranger = new URL(db.url);
  stranger.pathname = "/no_such_database";
  const lost = await db.with({}, stranger.href);
  expect(await readFault(perform(lost.query, { sql: "select 1" }))).toBe("permanent database-missing");
});

it("[P10] faults contain no part of the connection string", async () => {
  const unavailable = await db.with({}, "postgres://nobody:s3cr3t@127.0.0.1:1/nothing");
  await expect(unavailable.query.apply({ sql: "select 1", parameters: [] }, worldOf())).rejects.not.toThrow(
    /s3cr3t|nobody|127/,
  );
});
