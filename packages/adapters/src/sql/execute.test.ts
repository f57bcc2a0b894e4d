import type { Capability, Json } from "@paraph/core";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";
import { readFault } from "../testing.ts";
import { postgres } from "./index.ts";
import { createShop, renameInput } from "./test-shop.ts";
import { openAdapterAs, perform, previewInput, worldOf } from "./testing.ts";

const { db, afresh, users } = await createShop(inject("postgres"));
beforeEach(afresh);
afterAll(() => db[Symbol.asyncDispose]());

it("applies the previewed change and writes its marker with it", async () => {
  const output = await perform(db.execute, renameInput, { call: "renaming" });
  expect(output).toMatchObject({
    rows: 3,
    created: 0,
    deleted: 0,
    keys: [{ id: "1" }, { id: "2" }, { id: "3" }],
  });
  expect((await users()).filter(({ name }) => name === "Somebody")).toHaveLength(3);
  const [mark] = await db.sql("select call_id, result from paraph_applied where call_id = 'renaming'");
  expect(mark).toEqual({ call_id: "renaming", result: output });
});

it("[P7] keyed: the second apply of a call finds the marker, changes nothing and returns the same result", async () => {
  const visit: Json = { sql: "update users set visits = visits + 1 where id = 1" };
  expect(db.execute.contract.idempotency).toBe("keyed");
  const { basis } = await previewInput(db.execute, visit);
  const first = await perform(db.execute, visit, { call: "visit", basis });
  expect(await perform(db.execute, visit, { call: "visit", basis, attempt: 2 })).toEqual(first);
  expect((await users())[0]).toMatchObject({ visits: 1 });
});

it("[P7] keyed: of three concurrent attempts, only one changes the row", async () => {
  const visit: Json = { sql: "update users set visits = visits + 1 where id = 1" };
  const { basis } = await previewInput(db.execute, visit);
  const both = () => readFault(perform(db.execute, visit, { call: "at once", basis }));
  const ends = await Promise.all([both(), both(), both()]);
  expect(ends.filter((end) => end !== "no fault" && end !== "not-performed raced")).toEqual([]);
  expect(ends).toContain("no fault");
  expect((await users())[0]).toMatchObject({ visits: 1 });
});

describe("[P5] rolls the change back if its basis changed", () => {
  it.each([
    ["another row fits", "insert into users (id, name) values (-1, 'new')", "basis-changed"],
    ["one row less fits", "delete from users where id = 2", "basis-changed"],
    [
      "another row in place of one",
      "delete from orders; update users set id = -2 where id = 3",
      "basis-changed",
    ],
    ["an old value changed", "update users set name = 'else' where id = 1", "basis-changed"],
    ["only a column that is not written changed", "update users set visits = 9 where id = 1", "no fault"],
  ])("%s", async (_case, meanwhile, end) => {
    const { basis } = await previewInput(db.execute, renameInput);
    await db.sql(meanwhile);
    const before = await users();
    const expected = end === "no fault" ? end : `permanent ${end}`;
    expect(await readFault(perform(db.execute, renameInput, { call: `moved ${_case}`, basis }))).toBe(
      expected,
    );
    if (end !== "no fault") {
      expect(await users()).toEqual(before);
      expect(await db.sql("select * from paraph_applied where call_id = $1", [`moved ${_case}`])).toEqual([]);
    }
  });

  it("a value that it reads from another table changed", async () => {
    const copy: Json = {
      sql: "update users set visits = o.n from (select count(*) n from orders) o where id = 1",
    };
    const { basis } = await previewInput(db.execute, copy);
    await db.sql("delete from orders where id = 1");
    expect(await readFault(perform(db.execute, copy, { basis }))).toBe("permanent basis-changed");
  });

  it("the rows that it deletes by cascade changed", async () => {
    const goodbye: Json = { sql: "delete from users where id = 1" };
    const { basis } = await previewInput(db.execute, goodbye);
    await db.sql("insert into orders values (99, 1)");
    expect(await readFault(perform(db.execute, goodbye, { basis }))).toBe("permanent basis-changed");
  });

  it("the basis is missing", async () => {
    expect(await readFault(perform(db.execute, renameInput, { basis: undefined }))).toBe(
      "permanent basis-missing",
    );
  });
});

it("the basis of a table without a primary key consists of whole rows", async () => {
  await db.sql("insert into notes values ('a'), ('a'), ('b')");
  const drop: Json = { sql: "delete from notes where text = 'a'" };
  const { basis, changes } = await previewInput(db.execute, drop);
  expect(changes).toMatchObject([{ kind: "delete", details: { rows: 2 } }]);
  await db.sql("insert into notes values ('a')");
  expect(await readFault(perform(db.execute, drop, { basis }))).toBe("permanent basis-changed");
});

describe("the marker table", () => {
  it("is required; without it Paraph refuses a change, and the adapter is degraded", async () => {
    const lost = await db.with({ marker: "audit.marks" });
    expect(await readFault(perform(lost.execute, renameInput))).toBe("permanent marker-missing");
    const { signal } = new AbortController();
    expect(await lost.adapter.health!(signal)).toMatchObject({ kind: "degraded", code: "marker-missing" });
  });

  it("[TRUST 30] the adapter is degraded with a login that can end sessions or access files, and well with a plain one", async () => {
    const { signal } = new AbortController();
    expect(await db.adapter.health!(signal)).toMatchObject({ kind: "degraded", code: "login-too-strong" });
    await db.sql("drop role if exists sql_plain");
    await db.sql("create role sql_plain login password 'plain'");
    const url = new URL(db.url);
    [url.username, url.password] = ["sql_plain", "plain"];
    const plain = await db.with({}, url.href);
    expect(await plain.adapter.health!(signal)).toEqual({ kind: "well" });
    await db.sql("grant pg_signal_backend to sql_plain");
    expect(await plain.adapter.health!(signal)).toMatchObject({
      code: "login-too-strong",
      message: expect.stringContaining("pg_signal_backend"),
    });
    await db.sql("drop role sql_plain");
  });

  it("is not required if the configuration disables it; the contract then has the idempotency `none`", async () => {
    const forgetful = await db.with({ marker: false });
    expect(forgetful.execute.contract.idempotency).toBe("none");
    expect(await perform(forgetful.execute, renameInput)).toMatchObject({ rows: 3 });
  });
});

it("[P15] at its deadline the statement is stopped and rolled back, and its rows are unlocked", async () => {
  const slow = await db.with({ functions: ["pg_sleep"] });
  const input = { sql: "update users set name = pg_sleep(60)::text where id = 1" };
  const deadline = new AbortController();
  const running = readFault(perform(slow.execute, input, { basis: {}, signal: deadline.signal }));
  const sleeping =
    "select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
  await expect.poll(async () => (await db.sql(sleeping))[0]?.n, { interval: 10 }).toBe(1);
  deadline.abort();
  expect(await running).toBe("not-performed stopped");
  expect((await db.sql(sleeping))[0]?.n).toBe(0);
  expect(await db.sql("select name from users where id = 1 for update nowait")).toEqual([{ name: "user 1" }]);
  expect(
    await readFault(perform(slow.execute, renameInput, { basis: {}, signal: AbortSignal.abort() })),
  ).toBe("not-performed stopped");
});

it("[P8] waits only briefly for rows that another session has locked, and then ends as not performed", async () => {
  const hasty = await db.with({ lockTimeout: "20ms" });
  await db.sql("begin");
  await db.sql("update users set visits = 1 where id = 1");
  expect(await readFault(previewInput(hasty.execute, renameInput))).toBe("not-performed rows-busy");
  await db.sql("rollback");
});

it("[P8] does not overwrite rows that another session changes meanwhile, and ends as not performed, for a retry", async () => {
  const { basis } = await previewInput(db.execute, renameInput);
  const patient = await db.with({ lockTimeout: "1m" });
  await db.sql("begin");
  await db.sql("update users set visits = visits + 1 where id = 1");
  const running = readFault(perform(patient.execute, renameInput, { basis }));
  const waiting =
    "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  // The test counts the waiting sessions through the adapter. Its own open transaction would keep the list of sessions
  // from its first read.
  const look = async () => (await perform(db.query, { sql: waiting })).rows[0][0];
  await expect.poll(look, { interval: 10 }).toBe(1);
  await db.sql("commit");
  expect(await running).toBe("not-performed raced");
  expect((await users())[0]).toMatchObject({ name: "user 1", visits: 1 });
});

it("resolves its connection for the calling tenant, and stays within its limit of connections", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
  const secret = "${PROD_DB}";
  const open = await openAdapterAs("db", postgres(secret, { connections: 2 }), { PROD_DB: db.url });
  const execute = (await open.capabilities())[1] as Capability;
  const asked: string[] = [];
  const credential = async (name: string) => {
    asked.push(name);
    return db.url;
  };
  await Promise.all(
    Array.from({ length: 6 }, () => execute.preview!({ ...renameInput }, worldOf({ credential }))),
  );
  expect(asked).toEqual(Array(6).fill("PROD_DB"));
  const held = await db.sql(
    "select count(*)::int as n from pg_stat_activity where application_name = 'paraph' and datname = current_database()",
  );
  expect(held[0]!.n).toBeLessThanOrEqual(2 + 4 * 10);
  expect(await open.health!(new AbortController().signal)).toMatchObject({ code: "login-too-strong" });
  await open.close!();
  expect(await readFault(execute.preview!({ ...renameInput }, worldOf({ credential })))).toBe(
    "permanent adapter-closed",
  );
  const wrong = await openAdapterAs("db", postgres(secret));
  const [query] = (await wrong.capabilities()) as [Capability];
  const bare = { credential: async () => "not an address: hunter2" };
  await expect(query.apply({ sql: "select 1", parameters: [] }, worldOf(bare))).rejects.not.toThrow(
    /hunter2/,
  );
});

it("has high risk in production and medium risk in staging, and names invalid options", async () => {
  expect(db.execute.contract.risk).toBe("high");
  expect((await db.with({ environment: "staging" })).execute.contract.risk).toBe("medium");
  await expect(openAdapterAs("db", postgres("mysql://x", { timeout: "forever" as never }))).rejects.toThrow(
    /connection[\s\S]*timeout/,
  );
});
