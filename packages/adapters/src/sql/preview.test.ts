import type { Change, Json } from "@paraph/core";
import { afterAll, beforeEach, expect, inject, it } from "vitest";
import { readFault } from "../testing.ts";
import { createShop, renameInput } from "./test-shop.ts";
import { perform, previewInput } from "./testing.ts";

const { db, afresh, users, unchanged } = await createShop(inject("postgres"));
beforeEach(afresh);
afterAll(() => db[Symbol.asyncDispose]());

it("[P3] a preview counts and shows the rows that would change, and changes nothing", async () => {
  const before = await users();
  const { changes, basis } = await previewInput(db.execute, renameInput);
  expect(changes).toMatchObject([
    {
      kind: "update",
      target: "public.users",
      summary: "Changes 3 rows of `public.users`",
      details: { rows: 3, environment: "production", plan: expect.stringContaining("Update on users") },
    },
  ]);
  expect(changes[0]!.diff).toBe(`--- public.users (3 rows)
+++ public.users
@@ -1,1 +1,1 @@ id = "1"
-name = "user 1"
+name = "Somebody"
@@ -1,1 +1,1 @@ id = "2"
-name = "user 2"
+name = "Somebody"
@@ -1,1 +1,1 @@ id = "3"
-name = "user 3"
+name = "Somebody"
`);
  expect(basis).toEqual({
    table: "public.users",
    rows: 3,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    beside: {},
  });
  expect(await users()).toEqual(before);
  expect(await db.sql("select * from paraph_applied")).toEqual([]);
});

it("the basis does not depend on values that differ in each preview: defaults, clocks and sequences", async () => {
  const inserts: Json[] = [
    { sql: "insert into users (name) values ($1)", parameters: ["new"] },
    { sql: "insert into users (name, seen) values ('new', now())" },
    { sql: "insert into users (name, seen) values ('new', current_timestamp)" },
    { sql: "insert into users (id, name) values (nextval('users_id_seq'), 'new')" },
    { sql: "insert into users (name, seen) select 'new', now() + interval '7 days'" },
    { sql: "insert into users (name) values ('new'), ('newer') on conflict (id) do update set name = 'x'" },
    { sql: "update users set seen = clock_timestamp(), name = 'seen' where id = 1" },
    { sql: "insert into users values (default, 'new', default, 1)" },
  ];
  for (const input of inserts) {
    const first = await previewInput(db.execute, input);
    expect((await previewInput(db.execute, input)).basis, JSON.stringify(input)).toEqual(first.basis);
    expect(await readFault(perform(db.execute, input, { basis: first.basis }))).toBe("no fault");
  }
  const [values, others] = [["new"], ["newer"]].map((parameters) => ({
    ...(inserts[0] as object),
    parameters,
  }));
  expect((await previewInput(db.execute, values!)).basis).not.toEqual(
    (await previewInput(db.execute, others!)).basis,
  );
});

it("an insert returns the keys that it created", async () => {
  const { keys, created } = await perform(db.execute, {
    sql: "insert into users (name) values ('a'), ('b')",
  });
  expect(created).toBe(2);
  expect(
    (await db.sql("select id::text from users where name in ('a', 'b') order by id")).map(({ id }) => ({
      id,
    })),
  ).toEqual(keys);
});

it("a preview counts inserted, changed and deleted rows separately", async () => {
  const merge: Json = {
    sql: `merge into users using (values (1), (2), (1001)) as given(id) on users.id = given.id
          when matched and users.id = 1 then delete
          when matched then update set name = 'merged'
          when not matched then insert (id, name) values (given.id, 'new')`,
  };
  const { changes } = await previewInput(db.execute, merge);
  const own = changes.filter(({ target }) => target === "public.users");
  expect(own.map(({ kind, details }) => [kind, details?.rows])).toEqual([
    ["create", 1],
    ["update", 1],
    ["delete", 1],
  ]);
  const upsert: Json = {
    sql: "insert into users (id, name) values (5, 'five'), (1005, 'new') on conflict (id) do update set name = excluded.name",
  };
  expect((await previewInput(db.execute, upsert)).changes.map(({ kind }) => kind)).toEqual([
    "create",
    "update",
  ]);
  const nobody = await previewInput(db.execute, { sql: "delete from users where id = 0" });
  expect(nobody.changes).toMatchObject([{ kind: "other", details: { rows: 0 } }]);
});

it("a preview counts the rows that foreign keys and triggers change", async () => {
  await db.sql("create table audit (what text)");
  await db.sql(`create function noted() returns trigger language plpgsql as
    'begin insert into audit values (old.name); return old; end'`);
  await db.sql("create trigger noted after delete on users for each row execute function noted()");
  const { changes } = await previewInput(db.execute, { sql: "delete from users where id in (1, 2)" });
  expect(changes.map(({ kind, target, details }) => [kind, target, details?.rows])).toEqual([
    ["delete", "public.users", 2],
    ["create", "public.audit", 2],
    ["delete", "public.orders", 8],
  ]);
  expect(changes[0]!.details).toMatchObject({ triggers: 1 });
  await db.sql("drop function noted cascade");
});

it.each([
  ["delete from users", true],
  ["update users set visits = 0", true],
  ["delete from users where true", true],
  ["delete from users where 1 = 1", true],
  ["delete from users where id = id", true],
  ["delete from users where id = 1 or true", true],
  ["delete from users where true and 2 > 1", true],
  ["delete from users where id > 0", false],
  ["delete from users where id = 1 and true", false],
  ["delete from users where false", false],
  ["delete from users where email is not null", false],
])("a preview flags a statement as unbounded only if no condition limits it: %s", async (sql, unbounded) => {
  const { changes } = await previewInput(db.execute, { sql });
  expect(changes.some(({ target }) => target === "unbounded")).toBe(unbounded);
  unchanged();
});

it("[TRUST 16] a preview masks sensitive columns wherever it shows rows", async () => {
  const { changes } = await previewInput(db.execute, {
    sql: "update users set email = 'new@example.org' where id = 7",
  });
  expect(changes[0]!.diff).toContain("-email = •••\n+email = •••");
  const gone = await previewInput(db.execute, { sql: "delete from users where id = 7" });
  expect(JSON.stringify(gone.changes)).not.toContain("7@example.org");
  expect(gone.changes[0]!.diff).toContain('-name = "user 7"');
  const named = await db.with({ sensitive: ["public.users.name"] });
  const both = await previewInput(named.execute, { sql: "update users set name = 'Somebody' where id = 7" });
  expect(both.changes[0]!.diff).toContain("-name = •••\n+name = •••");
  // A value that the preview masks must not appear as a parameter of an undo either.
  expect(
    (await perform(db.execute, { sql: "update users set email = null where id = 7" })).undo,
  ).toBeUndefined();
});

it("a preview shows 20 of 3,050 rows, and shortens long values", async () => {
  await db.sql("insert into users (name) select repeat('x', 10000) || n from generate_series(1, 3000) n");
  const { changes } = await previewInput(db.execute, { sql: "update users set name = name || '!'" });
  const { diff, details } = changes.find(({ kind }) => kind === "update") as Change;
  expect(details).toMatchObject({ rows: 3050 });
  expect(diff).toContain("(20 of 3,050 rows)");
  expect(diff!.length).toBeLessThan(20_000);
});
