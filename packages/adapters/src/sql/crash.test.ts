import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Json } from "@paraph/core";
import { afterAll, beforeEach, expect, inject, it } from "vitest";
import { readFault } from "../testing.ts";
import { createCuttableConnection } from "./testing/cut-connection.ts";
import { createSqlFixture, perform, previewInput } from "./testing.ts";

const db = await createSqlFixture(inject("postgres"));
const connection = await createCuttableConnection(db.url);
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await connection[Symbol.asyncDispose]();
});
await db.sql("create table counter (id int primary key, n int not null)");
beforeEach(() =>
  db.sql("delete from counter; delete from paraph_applied; insert into counter values (1, 0)"),
);

const count: Json = { sql: "update counter set n = n + 1 where id = $1", parameters: [1] };
const value = async () => (await db.sql("select n from counter"))[0]!.n;
const marks = async () => (await db.sql("select count(*)::int as n from paraph_applied"))[0]!.n;

it("[P7] if the connection breaks before or after any query, the fault is correct and the mark makes the retry safe", async () => {
  const { basis } = await previewInput(db.execute, count);
  const frail = await db.with({}, connection.url);
  connection.cut(undefined);
  const whole = await perform(frail.execute, count, { basis, call: "whole" });
  const questions = connection.queryCount;
  expect(questions).toBeGreaterThan(8);
  for (let at = 1; at <= questions; at++) {
    for (const when of ["before", "after"] as const) {
      await db.sql("delete from paraph_applied; update counter set n = 0");
      connection.cut({ at, when });
      const where = `${when} question ${at} of ${questions}`;
      const end = await readFault(perform(frail.execute, count, { basis, call: where }));
      connection.cut(undefined);
      const isCommit = at === questions;
      expect(end, where).toBe(isCommit ? "ambiguous commit-unseen" : "not-performed database-unavailable");
      // The change persists only if the database handled the commit. The mark exists if and only if the change does.
      const expected = isCommit && when === "after" ? 1 : 0;
      expect([await value(), await marks()], where).toEqual([expected, expected]);
      expect(await perform(frail.execute, count, { basis, call: where, attempt: 2 }), where).toEqual(whole);
      expect([await value(), await marks()], where).toEqual([1, 1]);
    }
  }
});

/**
 * The number in each case counts back from the last query, which is the commit. At 3, the change is made but not yet
 * committed.
 */
it.each([
  ["before the commit", 0, "before", 0],
  ["once the commit was answered", 0, "after", 1],
  ["in the middle of it", 3, "after", 0],
] as const)(
  "[P7] after kill -9 of the performing process, %s, the mark ensures that the change is applied exactly once",
  async (_case, fromEnd, when, left) => {
    const { basis } = await previewInput(db.execute, count);
    const sound = await db.with({}, connection.url);
    connection.cut(undefined);
    await perform(sound.execute, count, { basis, call: "whole" });
    const questions = connection.queryCount;
    await db.sql("delete from paraph_applied; update counter set n = 0");

    const child = spawn(
      process.execPath,
      ["--conditions=paraph-source", "--input-type=module", "-e", performer],
      {
        cwd: new URL(".", import.meta.url),
        env: {
          ...process.env,
          ORDER: JSON.stringify({ url: connection.url, input: count, basis, key: "killed" }),
        },
        stdio: "ignore",
      },
    );
    const died = once(child, "exit");
    connection.cut({
      at: questions - fromEnd,
      when,
      meanwhile: async () => {
        child.kill("SIGKILL");
        await died;
      },
    });
    expect((await died)[1]).toBe("SIGKILL");
    connection.cut(undefined);
    await expect.poll(value, { interval: 10 }).toBe(left);
    expect(await perform(sound.execute, count, { basis, call: "killed", attempt: 2 })).toMatchObject({
      rows: 1,
    });
    expect([await value(), await marks()]).toEqual([1, 1]);
  },
);

/** Applies the call in a separate process, as a worker does. */
const performer = `
  import { postgres } from "./index.ts";
  const { url, input, basis, key } = JSON.parse(process.env.ORDER);
  const signal = new AbortController().signal;
  const open = await postgres(url).open({ name: "db", folder: "/", signal, announceChange() {}, credential: async () => "" });
  const [, execute] = await open.capabilities();
  await execute.apply(execute.parseInput(input).value, { key, call: key, basis, signal, credential: async () => "" });
  setInterval(() => {}, 1000);
`;
