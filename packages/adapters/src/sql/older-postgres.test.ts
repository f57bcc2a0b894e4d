// These tests cover the path for servers before PostgreSQL 18, which return only the old or the new row. They run on
// any server.
import type { Json } from "@paraph/core";
import { afterAll, beforeEach, expect, inject, it, vi } from "vitest";
import { readFault } from "../testing.ts";
import { createSqlFixture, perform, previewInput } from "./testing.ts";

vi.mock("./connection/transaction.ts", async (importOriginal) => {
  const real = await importOriginal<typeof import("./connection/transaction.ts")>();
  const withTransaction: typeof real.withTransaction = (connections, caller, options, body) =>
    real.withTransaction(connections, caller, options, (transaction) =>
      body({ ...transaction, version: 130_000 }),
    );
  return { ...real, withTransaction };
});

const db = await createSqlFixture(inject("postgres"));
afterAll(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await db.sql("drop table if exists users, notes");
  await db.sql(`create table users (id int, "Part" int, name text, primary key ("Part", id))`);
  await db.sql("insert into users select n, 1, 'user ' || n from generate_series(1, 5) n");
  await db.sql("create table notes (text text)");
});

const users = () => db.sql(`select * from users order by "Part", id`);

it("previews the old and new values of a row, found by its key in the snapshot from before the update", async () => {
  const { changes, basis } = await previewInput(db.execute, {
    sql: "update users u set name = upper(name) where id = 3",
  });
  expect(changes).toMatchObject([{ kind: "update", details: { rows: 1 } }]);
  expect(changes[0]!.diff).toContain(
    `@@ -1,1 +1,1 @@ id = "3", Part = "1"\n-name = "user 3"\n+name = "USER 3"\n`,
  );
  await db.sql("update users set name = 'else' where id = 3");
  expect(
    await readFault(
      perform(db.execute, { sql: "update users u set name = upper(name) where id = 3" }, { basis }),
    ),
  ).toBe("permanent basis-changed");
});

it("applies and undoes inserts, updates, deletes and upserts", async () => {
  const inputs: Json[] = [
    { sql: "update users set name = $1 where id < 3", parameters: ["x"] },
    { sql: `insert into users values (9, 9, 'new')` },
    { sql: "delete from users where id > 3" },
  ];
  for (const input of inputs) {
    const before = await users();
    const { undo } = await perform(db.execute, input);
    expect(await users()).not.toEqual(before);
    await perform(db.execute, undo);
    expect(await users()).toEqual(before);
  }
  const upsert = `insert into users values (1, 1, 'one'), (7, 1, 'seven') on conflict ("Part", id) do update set name = excluded.name`;
  const { changes } = await previewInput(db.execute, { sql: upsert });
  expect(changes.map(({ kind }) => kind)).toEqual(["create", "update"]);
});

it.each([
  ["update users set id = id + 1", "key-changed"],
  ["update notes set text = 'x'", "key-missing"],
  ["merge into users using (values (1)) v(n) on id = n when matched then delete", "merge-refused"],
])("refuses a statement whose changes cannot be determined: %s", async (sql, code) => {
  expect(await readFault(previewInput(db.execute, { sql }))).toBe(`permanent ${code}`);
});
