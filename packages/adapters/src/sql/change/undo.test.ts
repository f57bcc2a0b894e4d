import type { Json } from "@paraph/core";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";
import { readFault } from "../../testing.ts";
import { createShop, renameInput } from "../test-shop.ts";
import { perform, previewInput } from "../testing.ts";

const { db, afresh, users } = await createShop(inject("postgres"));
beforeEach(afresh);
afterAll(() => db[Symbol.asyncDispose]());

describe("undo", () => {
  const undone = async (input: Json): Promise<void> => {
    const before = await users();
    const output = await perform(db.execute, input);
    expect(await users()).not.toEqual(before);
    const undo = db.execute.undo!(input, output)!;
    expect(undo.capability).toBe("db.execute");
    await perform(db.execute, undo.input);
    expect(await users()).toEqual(before);
    // A second run of the same undo fails.
    expect(await readFault(perform(db.execute, undo.input))).toMatch(
      /^permanent (?:rows-differ|constraint-violated)$/,
    );
  };

  it("of an update, an insert and a delete of few rows restores the previous rows", async () => {
    await db.sql("alter table users drop column email");
    await undone({ sql: "update users set name = upper(name), visits = visits + 1 where id < 5" });
    await undone({ sql: "insert into users (name) values ('a'), ('b')" });
    await undone({ sql: "delete from users where id > 40" });
  });

  it("never overwrites a later change", async () => {
    const output = await perform(db.execute, renameInput);
    await db.sql("update users set name = 'Since' where id = 2");
    const undo = db.execute.undo!(renameInput, output)!;
    expect(await readFault(previewInput(db.execute, undo.input))).toBe("permanent rows-differ");
  });

  it("is not offered after a cascade, without a primary key, after a key change, or for too many rows", async () => {
    const undos = async (sql: string) => (await perform(db.execute, { sql })).undo !== undefined;
    await db.sql("alter table users drop column email");
    expect(await undos("delete from users where id = 1"), "orders went along with it").toBe(false);
    await db.sql("insert into notes values ('a')");
    expect(await undos("delete from notes"), "no primary key").toBe(false);
    expect(await undos("update users set id = 2000 where id = 9"), "the key itself moved").toBe(false);
    await db.sql("insert into users (name) select 'more' from generate_series(1, 200)");
    expect(await undos("update users set visits = 1 where name = 'more'"), "too many").toBe(false);
    expect(await undos("update users set visits = 1 where id = 10"), "few").toBe(true);
  });
});
