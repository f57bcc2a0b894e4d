import { readFileSync } from "node:fs";
import type { Adapter } from "@paraph/core";
import { afterAll, expect, inject, it } from "vitest";
import { readFault } from "../testing.ts";
import { postgres } from "./index.ts";
import { createSqlFixture, openAdapterAs, perform } from "./testing.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/sql.md", import.meta.url), "utf8");
const block = (kind: string) => new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, "ms").exec(guide)![1]!;

const db = await createSqlFixture(inject("postgres"));
afterAll(() => db[Symbol.asyncDispose]());

it("docs/adapters/sql.md has a configuration that works on a database prepared as the page says", async () => {
  const written = block("ts")
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const run = new Function("defineConfig", "postgres", written);
  const { adapters } = run((config: object) => config, postgres) as { adapters: { db: Adapter } };
  await db.sql("drop table paraph_applied; drop role if exists agents_read, agents_login");
  await db.sql(block("sql"));
  await db.sql("create table users (id int primary key, email text)");
  await db.sql("grant select, insert on users to agents_login");
  const login = new URL(db.url);
  [login.username, login.password] = ["agents_login", "choose a long one"];
  const options = { marker: "paraph_applied", readRole: "agents_read", environment: "production" } as const;
  const other = await db.with(options, login.href);
  expect(
    await perform(other.execute, { sql: "insert into users values (1, 'a@example.org')" }),
  ).toMatchObject({ rows: 1 });
  expect(await readFault(perform(other.query, { sql: "select * from users" }))).toBe(
    "permanent not-permitted",
  );
  await db.sql("grant select on users to agents_read");
  expect((await perform(other.query, { sql: "select id from users" })).rows).toEqual([[1]]);
  const open = await openAdapterAs("db", adapters.db, { PROD_DB: login.href });
  expect(await open.health!(new AbortController().signal)).toEqual({ kind: "well" });
  expect((await open.capabilities()).map(({ contract }) => [contract.name, contract.risk])).toEqual([
    ["db.query", "low"],
    ["db.execute", "high"],
  ]);
  await open.close!();
  await db.sql("drop owned by agents_login, agents_read; drop role agents_login, agents_read");
});

it("docs/adapters/sql.md names every option, and every fault code that does not reject a statement", () => {
  const configured = readFileSync(new URL("./index.ts", import.meta.url), "utf8");
  const options = [
    ...configured
      .slice(configured.indexOf("z.strictObject"))
      .matchAll(/^ {2}(\w+): (?:z$|z\.|duration|identifier)/gm),
  ].map(([, name]) => name!);
  expect(options.length).toBeGreaterThan(12);
  for (const name of options.filter((one) => one !== "connection"))
    expect(guide, name).toContain(`\`${name}\``);
  const source = readFileSync(new URL("./sql-fault.ts", import.meta.url), "utf8");
  const codes = [...source.matchAll(/"(?:not-performed|permanent|ambiguous)",\s*"([a-z-]+)"/g)].map(
    ([, code]) => code!,
  );
  expect(codes.length).toBeGreaterThan(12);
  for (const code of codes.filter((one) => one !== "not-a-read"))
    expect(guide, code).toContain(`\`${code}\``);
});
