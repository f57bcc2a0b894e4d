// These tests check that the applied change equals the previewed change, regardless of the state that its values depend
// on.
import type { Json } from "@paraph/core";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";
import { readFault } from "../testing.ts";
import { createSqlFixture, perform, previewInput } from "./testing.ts";

const db = await createSqlFixture(inject("postgres"));
afterAll(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await db.sql("drop table if exists accounts, rates, made cascade");
  await db.sql(`create table accounts (id int primary key, balance numeric not null, note text, due date,
    at timestamptz, local timestamp, twice numeric generated always as (balance * 2) stored)`);
  await db.sql("insert into accounts (id, balance) values (1, 100), (7, 100)");
  await db.sql("create table rates (rate int)");
  await db.sql("insert into rates values (1)");
  await db.sql(`create table made (id uuid primary key default gen_random_uuid(), n bigserial, name text,
    at timestamptz not null default now(), until timestamptz default now() + interval '30 days', day date default current_date)`);
});

const accounts = () => db.sql("select * from accounts order by id");

/**
 * Creates a condition on the time. The test can switch its result between the preview and the change, without waiting.
 */
const switched = async (condition: string) => {
  await db.sql("drop table if exists switch");
  await db.sql("create table switch (at timestamptz)");
  await db.sql("insert into switch values ('infinity')");
  return `${condition} < (select at from switch)`;
};
const turn = () => db.sql("update switch set at = '-infinity'");

it("[TRUST 1] the applying transaction rolls back a clock-dependent 1,000,100 that was approved as 101", async () => {
  const sql = `update accounts set balance = balance + case when ${await switched("clock_timestamp()")} then 1 else 1000000 end where id = 7`;
  const { basis } = await previewInput(db.execute, { sql });
  await turn();
  expect(await readFault(perform(db.execute, { sql }, { basis }))).toBe("permanent basis-changed");
  expect((await accounts())[1]).toMatchObject({ balance: "100" });
  const again = await previewInput(db.execute, { sql });
  expect(again.changes[0]!.diff).toContain('+balance = "1000100"');
});

it("[TRUST 1] the preview refuses a random change before a person is asked", async () => {
  const sql = "update accounts set balance = 0 where random() < 0.5";
  expect(await readFault(previewInput(db.execute, { sql }))).toBe("permanent value-unsettled");
});

describe("[TRUST 30] a change whose values differ from the preview is rolled back", () => {
  it.each([
    ["the clock", "clock_timestamp()"],
    ["the time of the transaction", "now()"],
    ["the time of the statement", "statement_timestamp()"],
    ["the time as a value", "current_timestamp"],
    ["the time as text", "timeofday()::timestamptz"],
  ])("%s", async (_what, clock) => {
    const sql = `update accounts set balance = balance + case when ${await switched(clock)} then 1 else 1000000 end where id = 7`;
    const { basis, changes } = await previewInput(db.execute, { sql });
    expect(changes[0]!.diff).toContain('+balance = "101"');
    await turn();
    expect(await readFault(perform(db.execute, { sql }, { basis }))).toBe("permanent basis-changed");
    expect((await accounts())[1]).toMatchObject({ balance: "100" });
  });

  it.each([
    "update accounts set at = case when WHEN then now() else now() + interval '10 years' end where id = 7",
    "update accounts set at = case when WHEN then now() else '2099-01-01' end where id = 7",
    "update accounts set local = case when WHEN then localtimestamp else '2099-01-01' end where id = 7",
    "update accounts set due = current_date + case when WHEN then 1 else 100 end where id = 7",
    "update accounts set note = case when WHEN then 'a' else 'b' end where id = 7",
    "update accounts set balance = 1 where id = case when WHEN then 1 else 7 end",
    "insert into accounts (id, balance) values (9, case when WHEN then 1 else 1000000 end)",
    "insert into accounts (id, balance) select 9, case when WHEN then 1 else 1000000 end",
    "insert into accounts (id, balance) values (7, 1) on conflict (id) do update set balance = case when WHEN then 1 else 2 end",
    "merge into accounts a using (values (7)) v(n) on a.id = v.n when matched then update set balance = case when WHEN then 1 else 2 end",
    "insert into made (name, until) values ('x', case when WHEN then now() + interval '1 day' else now() + interval '9 days' end)",
    "delete from accounts where id = case when WHEN then 1 else 7 end",
  ])("%s", async (text) => {
    const sql = text.replace("WHEN", await switched("now()"));
    const { basis } = await previewInput(db.execute, { sql });
    expect((await previewInput(db.execute, { sql })).basis).toEqual(basis);
    await turn();
    expect(await readFault(perform(db.execute, { sql }, { basis }))).toBe("permanent basis-changed");
    expect(
      await db.sql(
        "select (select sum(balance)::int from accounts) as sum, (select count(*)::int from made) as n",
      ),
    ).toEqual([{ sum: 200, n: 0 }]);
  });

  it("if the values depend on the session, other tables, triggers or generated columns", async () => {
    const fromOther: Json = { sql: "update accounts set balance = (select rate from rates) where id = 7" };
    const { basis } = await previewInput(db.execute, fromOther);
    await db.sql("update rates set rate = 1000000");
    expect(await readFault(perform(db.execute, fromOther, { basis }))).toBe("permanent basis-changed");

    const ofSession: Json = { sql: "update accounts set note = pg_backend_pid()::text where id = 7" };
    const seen = await previewInput(await db.with({}).then(({ execute }) => execute), ofSession);
    expect(await readFault(perform(db.execute, ofSession, { basis: seen.basis }))).toBe(
      "permanent basis-changed",
    );

    await db.sql(`create function raised() returns trigger language plpgsql as
      $$ begin new.balance := new.balance + (select rate from rates); return new; end $$`);
    await db.sql("create trigger raised before update on accounts for each row execute function raised()");
    const noted: Json = { sql: "update accounts set note = 'x' where id = 7" };
    const before = await previewInput(db.execute, noted);
    expect(before.changes[0]!.diff).toContain('+balance = "1000100"');
    expect(before.changes[0]!.diff).toContain('+twice = "2000200"');
    await db.sql("update rates set rate = 5");
    expect(await readFault(perform(db.execute, noted, { basis: before.basis }))).toBe(
      "permanent basis-changed",
    );
    await db.sql("drop function raised cascade");
  });
});

describe("[TRUST 30] the preview refuses a change that depends on random values", () => {
  it.each([
    "update accounts set balance = (random() * 100)::int where id = 7",
    "update accounts set balance = 1 where random() < 0.5",
    "delete from accounts where id in (select id from accounts order by random() limit 1)",
    "insert into accounts (id, balance) values (9, case when gen_random_uuid()::text < '8' then 1 else 1000000 end)",
    "insert into made (n) values (nextval('made_n_seq') * 2)",
    "insert into made (id) values (case when gen_random_uuid() < '80000000-0000-0000-0000-000000000000' then gen_random_uuid() end)",
    "update accounts set note = 'x' from accounts as b tablesample bernoulli (50) where b.id = accounts.id",
  ])("%s", async (sql) => {
    expect(await readFault(previewInput(db.execute, { sql }))).toBe("permanent value-unsettled");
  });

  it("a random value is rolled back instead if the same function also generates a key", async () => {
    const sql = "insert into made (name) values (gen_random_uuid()::text || '!')";
    const { basis } = await previewInput(db.execute, { sql });
    expect(await readFault(perform(db.execute, { sql }, { basis }))).toBe("permanent basis-changed");
  });
});

it("[TRUST 30] the preview describes a time-dependent value, and does not show its value at preview time", async () => {
  const diff = async (sql: string) => (await previewInput(db.execute, { sql })).changes[0]!.diff!;
  expect(await diff("update accounts set at = now(), local = clock_timestamp() where id = 7")).toContain(
    "+at = (time of the change)\n-local = null\n+local = (time of the change)",
  );
  expect(
    await diff("update accounts set at = now() + interval '7 days', due = current_date + 30 where id = 7"),
  ).toContain(
    "-due = null\n+due = (date of the change + 30 days)\n-at = null\n+at = (time of the change + 7 days)",
  );
  expect(await diff("update accounts set at = now() - interval '90 minutes' where id = 7")).toContain(
    "+at = (time of the change - 01:30:00)",
  );
  expect(await diff("insert into made (name) values ('x')")).toContain(
    `@@ -1,0 +1,6 @@ id = (made by the database)
+id = (made by the database)
+n = (made by the database)
+name = "x"
+at = (time of the change)
+until = (time of the change + 30 days)
+day = (date of the change)`,
  );
  expect(
    await diff("update accounts set at = '2030-01-01 00:00:00+00', due = '2030-01-01' where id = 7"),
  ).toMatch(/\+due = "2030-01-01"\n-at = null\n\+at = "20/);
});

it("applies time-dependent and generated values that the preview described", async () => {
  await db.sql(
    `create function touched() returns trigger language plpgsql as $$ begin new.at := now(); return new; end $$`,
  );
  await db.sql("create trigger touched before update on accounts for each row execute function touched()");
  for (const sql of [
    "update accounts set note = 'by a trigger' where id = 1",
    "update accounts set at = now(), local = now() at time zone 'utc', due = current_date where id = 7",
    "update accounts set at = 'infinity', local = now() + interval '1 day' where id = 7",
    "update accounts set note = 'x' where at < now() - interval '1 day' or id = 7",
    "insert into made (name) values ('a'), ('b')",
    "insert into made (id, name) values (gen_random_uuid(), 'c')",
    "insert into made (id, n, name) select gen_random_uuid(), nextval('made_n_seq'), note from accounts",
    "insert into made default values",
    "update made set id = gen_random_uuid() where name = 'a'",
  ]) {
    const { basis } = await previewInput(db.execute, { sql });
    expect(await readFault(perform(db.execute, { sql }, { basis })), sql).toBe("no fault");
  }
  await db.sql("drop function touched cascade");
});
