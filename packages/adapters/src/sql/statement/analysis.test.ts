// These tests call functions in ways that do not look like calls. The adapter must rely on PostgreSQL's analysis of the
// text.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readFault } from "../../testing.ts";
import { createSqlFixture, perform, previewInput } from "../testing.ts";
import { findReferences } from "./query-tree.ts";

const db = await createSqlFixture(inject("postgres"));
afterAll(() => db[Symbol.asyncDispose]());

/** A sequence keeps a trace that no rollback removes. */
const traces = async () => (await db.sql("select last_value::int as n, is_called from traces"))[0];

beforeAll(async () => {
  await db.sql("create sequence traces");
  await db.sql("create table accounts (id int primary key, balance int not null)");
  await db.sql("insert into accounts values (1, 100), (2, 200)");
  const harmful = (signature: string, returns: string, result: string) =>
    db.sql(`create function ${signature} returns ${returns} language plpgsql volatile as
      $$ begin perform nextval('traces'); return ${result}; end $$`);
  await harmful("harm(int)", "int", "$1");
  await harmful("harm(accounts)", "int", "1");
  await harmful("harm2(int, int)", "bool", "true");
  await harmful("harm3(int, int)", "int", "1");
  await harmful("harm4(int, int default 2)", "int", "1");
  await harmful("harm5(variadic int[])", "int", "1");
  await harmful("harms()", "setof int", "next 1");
  await db.sql("create operator <<<! (leftarg = int, rightarg = int, function = harm2)");
  await db.sql("create operator !!! (rightarg = int, function = harm)");
  await db.sql("create aggregate harm_all (int) (sfunc = harm3, stype = int, initcond = 0)");
  await db.sql("create type note as (n int)");
  await harmful("to_note(int)", "note", "row($1)::note");
  await db.sql("create cast (int as note) with function to_note(int)");
  await db.sql("create domain checked as int check (harm(value) = value)");
  await db.sql("create type pair as (a int, b checked)");
  await db.sql("create view sly as select id, harm(id) as n from accounts");
  await db.sql("create view slyer as select * from sly where id > 0");
  await db.sql("create table ruled (id int primary key, n int)");
  await db.sql("create rule also as on update to ruled do instead select harm(1)");
  await db.sql("create table guarded (id int primary key, n int check (harm(n) = n))");
  await db.sql("create table filled (id int primary key, n int default harm(1))");
  await db.sql("create table typed (id int primary key, n checked)");
  await db.sql("create table hidden (id int primary key, n int)");
  await db.sql("insert into hidden values (1, 1)");
  await db.sql("alter table hidden enable row level security");
  await db.sql("create policy p on hidden using (harm(id) = id)");
  await db.sql("create table parents (id int primary key)");
  await db.sql("create table children (id int primary key references parents on delete cascade, n int)");
  await db.sql(`create function noted() returns trigger language plpgsql as 'begin return new; end'`);
  await db.sql(
    "create trigger noted before update on children for each row when (harm(new.n) = 1) execute function noted()",
  );
  await db.sql("select nextval('traces')");
});

it("[TRUST 30] a call in attribute notation, `(42).pg_advisory_lock`, does not run in a query or a preview", async () => {
  const held = async () =>
    (await db.sql("select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 4242"))[0];
  expect(await readFault(perform(db.query, { sql: "select (4242::bigint).pg_advisory_lock" }))).toBe(
    "permanent function-refused",
  );
  const change = { sql: "update accounts set balance = 0 where (4242::bigint).pg_try_advisory_lock" };
  expect(await readFault(previewInput(db.execute, change))).toBe("permanent function-refused");
  expect(await held()).toEqual({ n: 0 });
});

describe("[TRUST 30] a query is refused if it calls a volatile function in any notation", () => {
  it.each([
    "select (1).pg_sleep",
    "select (42::bigint).pg_advisory_lock",
    'select (1.5::float8)."pg_sleep"',
    "select ('/etc/passwd'::text).pg_read_file",
    "select ('news', 'x')::text::text collate \"C\", (1).harm",
    "select a.harm from accounts a",
    "select accounts.harm from accounts",
    "select (a).harm from accounts a",
    "select (select (1).harm)",
    "select 1 limit (1).harm",
    "select 1 offset (1).harm",
    "select 1 order by (1).harm",
    "select id from accounts order by (id).harm",
    "select id from accounts group by id having (1).harm = 1",
    "select sum(id) filter (where (id).harm = 1) from accounts",
    "select sum(id) over (order by (id).harm) from accounts",
    "select id from accounts where (id).harm = 1",
    "select case when false then 1 else (1).harm end",
    "values ((1).harm)",
    "with x as (select (1).harm as h) select * from x",
    "select * from accounts a join lateral (select (a.id).harm) l on true",
    "select (1).harm4",
    "select (1).harm5",
    "select * from harms()",
    "select * from rows from (harms(), generate_series(1, 2))",
    "select 1 <<<! 2",
    "select 1 operator(public.<<<!) 2",
    "select !!! 1",
    "select 1 <<<! any (array[1, 2])",
    "select (1, 2) is not distinct from (1, 2), 1 <<<! all (select 1)",
    "select harm_all(id) from accounts",
    "select harm_all(id) over () from accounts",
    "select 1::note",
    "select cast(id as note) from accounts",
    "select 1::checked",
    "select $1::checked",
    "select json_populate_record(null::pair, '{\"b\": 1}')",
    "select * from json_to_record('{\"b\": 1}') as x(b checked)",
    "select * from sly",
    "select id from slyer",
    "table sly",
    "select count(*) from sly where n > 0",
    "select * from accounts tablesample system ((1).harm)",
    "select /* (harmless) */ (1)\n.\n-- no\nharm",
    'select U&"h\\0061rm"(1)',
    'select (1).U&"h\\0061rm"',
    'select "harm"(1)',
    "select public.harm(1)",
    "explain select (1).pg_sleep",
    "select jsonb_path_query('1', '$'), (1).harm",
    "select xmlelement(name x, (1).harm)",
    "select array[(1).harm], row((1).harm), coalesce(null, (1).harm), nullif(1, (1).harm), greatest(1, (1).harm)",
    "select ('select 1'::text).ts_stat",
    "select set_config('role', 'postgres', false)",
    "select * from query_to_xml('select 1', true, true, '')",
    "select lo_creat(1)",
    "select (1).lo_creat",
    "select (1::oid).lo_get",
    "select pg_notify('a', 'b')",
    "select json_value('1', '$' returning checked)",
    "select json_query('1', '$' returning checked error on error)",
    "select json_query('{\"b\": 1}', '$' returning pair error on error)",
    "select * from json_table('[1]', '$[*]' columns (x checked path '$'))",
  ])("%s", async (sql) => {
    const parameters = sql.includes("$1::") ? [1] : [];
    const before = await traces();
    expect(await readFault(perform(db.query, { sql, parameters }))).toBe("permanent function-refused");
    expect(await traces()).toEqual(before);
  });
});

describe("[TRUST 30] a change is refused before its preview if it calls a volatile function in any notation", () => {
  it.each([
    "update accounts set balance = json_value('1', '$' returning checked) where id = 1",
    "update accounts set balance = balance where id = 1 and (1).pg_terminate_backend",
    "update accounts set balance = (1).harm",
    "update accounts set balance = 1 where (id).harm = 1",
    "update accounts a set balance = a.harm",
    "insert into accounts values (3, (1).harm)",
    "insert into accounts select 3, (1).harm",
    "insert into accounts values (1, 1) on conflict (id) do update set balance = (1).harm",
    "insert into accounts values (1, 1) on conflict (id) do update set balance = 1 where (1).harm = 1",
    "delete from accounts where id <<<! 1",
    "delete from accounts using sly where sly.id = accounts.id",
    "merge into accounts a using (values (1)) v(n) on a.id = v.n when matched then update set balance = (1).harm",
    "merge into accounts a using (values (1)) v(n) on a.id = v.n and (1).harm = 1 when matched then delete",
    "merge into accounts a using (values (1)) v(n) on a.id = v.n when matched and (1).harm = 1 then delete",
    "merge into accounts a using (values (9)) v(n) on a.id = v.n when not matched then insert values (9, (1).harm)",
    "update sly set id = 9 where id = 1",
    "insert into guarded values (1, 1)",
    "insert into filled (id) values (1)",
    "insert into filled values (1, default)",
    "insert into typed values (1, 1)",
    "insert into typed values (1, $1)",
    "delete from parents where id = 2",
    "with x as materialized (select (1).harm as h) update accounts set balance = h from x",
  ])("%s", async (sql) => {
    const parameters = sql.includes("$1") ? [1] : [];
    const before = await traces();
    expect(await readFault(previewInput(db.execute, { sql, parameters }))).toBe("permanent function-refused");
    expect(await traces()).toEqual(before);
    expect(await readFault(perform(db.execute, { sql, parameters }, { basis: {} }))).toBe(
      "permanent function-refused",
    );
    expect(await traces()).toEqual(before);
  });
});

it("[TRUST 30] non-volatile functions that run a text, or a view or type by its name, are refused", async () => {
  for (const name of ["tablefunc", "xml2", "dblink"]) await db.sql(`create extension ${name}`);
  const before = await traces();
  for (const sql of [
    "select * from crosstab('select 1, 2, pg_sleep(0)::text') as t(a int, b text)",
    "select * from crosstab('select 1, 2, 3', 'select nextval(''traces'')') as t(a int, b text)",
    "select * from connectby('accounts', 'id', 'harm(id)', '1', 0) as t(a int, b int, c int)",
    "select * from xpath_table('id', 'note', 'sly', '/', 'true') as t(a int)",
    "select table_to_xml('sly', true, true, '')",
    "select ('public'::name).schema_to_xml(true, true, '')",
    "select database_to_xml(true, true, '')",
    "select pg_input_is_valid('1', 'checked')",
    "select * from pg_input_error_info('1', 'checked')",
    "select array_in('{1}', 'checked'::regtype, -1)",
    "select * from dblink('dbname=postgres', 'select 1') as t(a int)",
    "select ('dbname=postgres'::text).dblink_connect",
  ])
    expect(await readFault(perform(db.query, { sql })), sql).toMatch(
      /^permanent (?:function-refused|syntax-invalid)$/,
    );
  expect(await traces()).toEqual(before);
});

it("[TRUST 30] triggers in C or in untrusted languages are refused unless the configuration names them", async () => {
  await db.sql("create extension moddatetime");
  await db.sql("create table dated (id int primary key, n int, at timestamptz)");
  await db.sql("insert into dated values (1, 1)");
  await db.sql("create trigger dated before update on dated for each row execute function moddatetime(at)");
  const change = { sql: "update dated set n = 2 where id = 1" };
  expect(await readFault(previewInput(db.execute, change))).toBe("permanent function-refused");
  const trusting = await db.with({ functions: ["moddatetime"] });
  expect((await previewInput(trusting.execute, change)).changes[0]!.diff).toContain(
    "+at = (time of the change)",
  );
});

it("[TRUST 30] a change to a foreign table is refused, also through a view or a partition", async () => {
  await db.sql("create extension postgres_fdw");
  await db.sql("create server far foreign data wrapper postgres_fdw options (host '127.0.0.1', port '1')");
  await db.sql("create foreign table far_away (id int, n int) server far");
  await db.sql("create view near as select * from far_away");
  await db.sql("create table parts (id int, n int) partition by list (id)");
  await db.sql("create foreign table parts_far partition of parts for values in (1) server far");
  for (const name of ["far_away", "near", "parts"])
    expect(
      await readFault(previewInput(db.execute, { sql: `update ${name} set n = 1 where id = 1` })),
      name,
    ).toBe("permanent table-foreign");
});

it("[TRUST 30] a change to a table with rules is refused, because PostgreSQL does not report what rules did", async () => {
  const before = await traces();
  expect(await readFault(previewInput(db.execute, { sql: "update ruled set n = 1" }))).toBe(
    "permanent sql-refused",
  );
  expect(await traces()).toEqual(before);
});

it("[TRUST 30] a query is refused if a row security policy for its role calls a volatile function", async () => {
  await db.sql("drop role if exists sql_bound");
  await db.sql("create role sql_bound");
  await db.sql("grant select on hidden to sql_bound");
  const bound = await db.with({ readRole: "sql_bound" });
  const before = await traces();
  expect(await readFault(perform(bound.query, { sql: "select * from hidden" }))).toBe(
    "permanent function-refused",
  );
  expect(await traces()).toEqual(before);
  await db.sql("drop owned by sql_bound");
  await db.sql("drop role sql_bound");
});

it("[TRUST 30] a table or view definition with a call in attribute notation is refused", async () => {
  const may = await db.with({ ddl: true });
  for (const sql of ["create table x as select (1).harm", "create view x as select a.harm from accounts a"])
    expect(await readFault(previewInput(may.execute, { sql })), sql).toBe("permanent function-refused");
});

it("[TRUST 30] a domain check that runs for a literal during analysis cannot write", async () => {
  await db.sql("create table lists (id int primary key, list checked[])");
  const before = await traces();
  expect(await readFault(perform(db.query, { sql: "select '{1}'::checked[]" }))).toBe("permanent not-a-read");
  expect(await readFault(previewInput(db.execute, { sql: "insert into lists values (1, '{1}')" }))).toBe(
    "permanent not-a-read",
  );
  expect(await traces()).toEqual(before);
});

it("[TRUST 30] user functions do not replace PostgreSQL's own, even if the search path lists them first", async () => {
  await db.sql(`create function public.to_jsonb(accounts) returns jsonb language sql immutable as
    $$ select '{"id": 1, "balance": 100}'::jsonb $$`);
  await db.sql(
    `create function public.sha256(bytea) returns bytea language sql immutable as $$ select ''::bytea $$`,
  );
  const name = new URL(db.url).pathname.slice(1);
  await db.sql(`alter database ${name} set search_path = public, pg_catalog`);
  const other = await db.with({});
  const { changes, basis } = await previewInput(other.execute, {
    sql: "update accounts set balance = 7 where id = 1",
  });
  expect(changes[0]!.diff).toContain('-balance = "100"\n+balance = "7"');
  expect(basis).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await db.sql(`alter database ${name} reset search_path`);
  await db.sql("drop function public.to_jsonb(accounts), public.sha256(bytea)");
});

it("[TRUST 30] a temporary table of the session does not replace a permanent table of the same name", async () => {
  await db.sql(`create function shade() returns int language plpgsql volatile as
    $$ begin create temp table accounts as select * from public.accounts; return 7; end $$`);
  const other = await db.with({ functions: ["shade"], connections: 1 });
  const shading = { sql: "update accounts set balance = shade() where id = 1" };
  await perform(other.execute, shading);
  const change = { sql: "update accounts set balance = 100 where id = 1" };
  const { changes, basis } = await previewInput(other.execute, change);
  expect(changes[0]!.target).toBe("public.accounts");
  expect(basis).toMatchObject({ table: "public.accounts", rows: 1 });
  await perform(other.execute, change);
  expect(await db.sql("select balance from public.accounts where id = 1")).toEqual([{ balance: 100 }]);
});

it("allows pure reads, PostgreSQL's own views, and functions that the configuration names", async () => {
  for (const sql of [
    "select count(*) >= 0 from pg_locks",
    "select count(*) > 0 from pg_stat_activity",
    "select count(*) > 0 from pg_settings",
    "select count(*) >= 0 from pg_stat_xact_user_tables",
    "select count(*) > 0 from information_schema.columns",
    "select id, balance, now(), random() from accounts tablesample bernoulli (100) order by id using <",
    "select (a).balance, a.id, (1, 2) < (3, 4), array_agg(id order by id) from accounts a group by a.id",
  ])
    expect(await readFault(perform(db.query, { sql })), sql).toBe("no fault");
  await db.sql("create function mild(int) returns int language sql volatile as 'select $1'");
  const trusting = await db.with({ functions: ["mild"] });
  expect((await perform(trusting.query, { sql: "select (7).mild" })).rows).toEqual([[7]]);
});

it("keeps analysed statements out of the server log where permitted, and restores the log settings", async () => {
  const names = ["log_min_messages", "client_min_messages", "debug_print_rewritten"];
  const sql = `select ${names.map((name) => `current_setting('${name}')`).join(", ")}`;
  expect((await perform(db.query, { sql })).rows).toEqual([["warning", "notice", "off"]]);
});

it("finds OIDs in a parse tree across line breaks", () => {
  const { functions, operators, types } = findReferences(
    "{AGGREF :aggfnoid\n2335 :aggtype 23} {ROWCOMPAREEXPR :opnos (o 97\n98)} {FUNCEXPR :funcid 0}",
  );
  expect([[...functions], [...operators], [...types]]).toEqual([[2335], [97, 98], [23]]);
});
