import type { Json } from "@paraph/core";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";
import { readFault } from "../../testing.ts";
import { createShop, renameInput } from "../test-shop.ts";
import { perform, previewInput } from "../testing.ts";

const { db, afresh, unchanged } = await createShop(inject("postgres"));
beforeEach(afresh);
afterAll(() => db[Symbol.asyncDispose]());

describe("refuses with a code", () => {
  it.each([
    ["select 1", "not-a-change"],
    ["explain delete from users", "not-a-change"],
    ["delete from users; delete from orders", "several-statements"],
    ["with gone as (delete from orders returning 1) delete from users", "several-changes"],
    ["delete from users returning id", "returning-refused"],
    ["delete from users where current of c", "cursor-refused"],
    ["commit", "transaction-refused"],
    ["rollback", "transaction-refused"],
    ["set local role postgres", "set-refused"],
    ["reset all", "set-refused"],
    ["set constraints all deferred", "set-refused"],
    ["copy users from program 'touch /tmp/x'", "copy-refused"],
    ["do 'begin end'", "do-refused"],
    ["call anything()", "call-refused"],
    ["vacuum users", "upkeep-refused"],
    ["notify users", "notify-refused"],
    ["create table x (a int)", "ddl-refused"],
    ["truncate users", "ddl-refused"],
    ["drop table users", "ddl-refused"],
    ["create function f() returns int language sql as 'select 1'", "code-refused"],
    ["grant all on users to public", "rights-refused"],
    ["update users set name = pg_read_file('/etc/passwd')", "function-refused"],
    ["insert into notes select lo_export(1, '/tmp/x')::text", "function-refused"],
    ["delete from nobody", "table-missing"],
    ["delete from other.public.users", "database-named"],
    ["delete from paraph_applied", "marker-refused"],
    ["update public.paraph_applied as p set call_id = ''", "marker-refused"],
    ["update users set name = null where id = 1", "constraint-violated"],
    ["update users set visits = 'many' where id = 1", "value-invalid"],
    ["update users set nothing = 1", "sql-refused"],
  ])("%s", async (sql, code) => {
    expect(await readFault(previewInput(db.execute, { sql }))).toBe(`permanent ${code}`);
    expect(await readFault(perform(db.execute, { sql }, { basis: {} }))).toBe(`permanent ${code}`);
    unchanged();
  });

  it("more rows than one call may change, and a number of rows other than `rows`", async () => {
    const few = await db.with({ maxChanged: 10 });
    expect(await readFault(previewInput(few.execute, { sql: "delete from users" }))).toBe(
      "permanent too-many-rows",
    );
    expect(await readFault(previewInput(db.execute, { ...renameInput, rows: 2 }))).toBe(
      "permanent rows-differ",
    );
    expect(await readFault(previewInput(db.execute, { ...renameInput, rows: 3 }))).toBe("no fault");
  });

  it("a violation of a deferred constraint, already in the preview", async () => {
    await db.sql("alter table orders alter constraint orders_owner_fkey deferrable initially deferred");
    const stray = { sql: "insert into orders values (100, 4711)" };
    expect(await readFault(previewInput(db.execute, stray))).toBe("permanent constraint-violated");
  });
});

describe("definitions, if the configuration allows them", () => {
  it("are described and not run by the preview, and have no row count, so a rule about many rows applies", async () => {
    const may = await db.with({ ddl: true });
    const drop: Json = { sql: "drop table orders" };
    const { changes, basis } = await previewInput(may.execute, drop);
    expect(changes).toMatchObject([{ kind: "delete", target: "public.orders", details: { there: true } }]);
    expect(changes[0]!.details).not.toHaveProperty("rows");
    await db.sql("alter table orders add column more int");
    expect(await readFault(perform(may.execute, drop, { basis }))).toBe("permanent basis-changed");
    await perform(may.execute, drop);
    expect(await db.sql("select to_regclass('orders') as there")).toEqual([{ there: null }]);
    await perform(may.execute, { sql: "create table orders (id int)" }, { call: "defined" });
    expect(await db.sql("select call_id from paraph_applied where call_id = 'defined'")).toHaveLength(1);
  });

  it.each([
    "alter table users owner to postgres",
    "alter table users disable row level security",
    "alter table users disable trigger all",
    "drop schema public cascade",
    "drop function noted",
    "alter role postgres rename to x",
    "drop table paraph_applied",
    "create table x as execute p",
    "create table x as select pg_read_file('/etc/passwd')",
    "create table x as with gone as (delete from users returning 1) select * from gone",
    "create schema x grant all on users to public",
    "create schema x create table y (id int) create view z as select * from users",
    "create temp table users (id int)",
    "create table pg_temp.users (id int)",
    "create temporary view users as select 1 as id",
    "truncate users cascade",
    "drop table users cascade",
    "alter table users drop column name cascade",
  ])("are still refused: %s", async (sql) => {
    const may = await db.with({ ddl: true });
    expect(await readFault(previewInput(may.execute, { sql }))).toMatch(
      /^permanent (?:statement|marker|prepared|function|several|cascade|temporary)-/,
    );
    unchanged();
  });
});
