// The acceptance story of SQL, under its own title: a real database beside Paraph's own, and real approvals.

import { postgres } from "@paraph/adapters/sql";
import { verifyReceipt } from "@paraph/core";
import { afterAll, expect, inject, it } from "vitest";
import { createSqlFixture } from "../../packages/adapters/src/sql/testing.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";

const db = await createSqlFixture(inject("postgres"));
await db.sql("create table accounts (id int primary key, plan text not null, price int not null)");
await db.sql(
  "insert into accounts select n, case when n <= 12431 then 'old' else 'new' end, 10 from generate_series(1, 20000) n",
);

const people = await TestParaph.start(
  {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
    adapters: { db: postgres("${PROD_DB}") },
    rules: [
      // An agent may make every change unattended, unless the rule below requires an approval.
      { capability: "db.execute", allow: "unattended" },
      { capability: "db.execute", when: { "preview.rows": { over: 1000 } }, ask: "dba", people: 2 },
    ],
  },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "ana", kind: "person", groups: ["dba"] },
    { tenant: "acme", id: "dora", kind: "person", groups: ["dba"] },
    { tenant: "acme", id: "bo", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
  ],
  { "acme/PROD_DB": db.url },
);
afterAll(async () => {
  await people.stop();
  await db[Symbol.asyncDispose]();
});

const raise = { sql: "update accounts set price = price + $1 where plan = $2", parameters: [5, "old"] };
const prices = async () =>
  await db.sql("select price, count(*)::int as n from accounts group by 1 order by 1");
const look = async (call: string) => (await people.request("ana", "GET", `/v1/calls/${call}`)).body;
const approve = (as: string, { id, digest }: { id: string; digest: string }) =>
  people.request(as, "POST", `/v1/approvals/${id}/decision`, { decision: "approve", digest });

it("story 6: Given an SQL update of 12,431 rows, then the preview counted them in a rolled-back transaction, two people are asked, and a changed count asks again", async () => {
  const { body } = await people.request("bot", "POST", "/v1/calls", {
    capability: "db.execute",
    input: raise,
  });
  const asked = await waiting(body.call);
  const view = (await people.request("ana", "GET", `/v1/approvals/${asked.id}`)).body;
  expect(JSON.stringify(view)).toContain("Changes 12,431 rows of `public.accounts`");
  expect(await prices()).toEqual([{ price: 10, n: 20_000 }]);

  // One approval is not enough, and a person who is not in `dba` does not count.
  expect((await approve("bo", asked)).status).toBe(403);
  expect((await approve("ana", asked)).status).toBe(200);
  expect(await look(body.call)).toMatchObject({ state: "asking" });

  // Meanwhile another row was inserted. The second vote approves outdated data, so Paraph asks both people again.
  await db.sql("insert into accounts values (20001, 'old', 10)");
  expect((await approve("dora", asked)).status).toBe(200);
  const again = await waiting(body.call, asked.id);
  const next = (await people.request("ana", "GET", `/v1/approvals/${again.id}`)).body;
  expect(JSON.stringify(next)).toContain("Changes 12,432 rows of `public.accounts`");
  expect(await prices()).toEqual([{ price: 10, n: 20_001 }]);

  for (const dba of ["ana", "dora"]) expect((await approve(dba, again)).status).toBe(200);
  const end = await people.agent("bot").wait(body.call, { timeoutMs: 120_000 });
  expect(end).toMatchObject({ kind: "succeeded", output: { rows: 12_432 } });
  expect(await prices()).toEqual([
    { price: 10, n: 7_569 },
    { price: 15, n: 12_432 },
  ]);
  expect(await db.sql("select call_id from paraph_applied")).toEqual([{ call_id: body.call }]);
  const { story } = await verifyReceipt(
    await people.agent("bot").receipt(body.call),
    await people.agent("bot").keys(),
  );
  const votes = story.events.filter(({ kind }) => kind === "voted").map(({ data }) => data.by);
  expect(votes).toEqual(["ana", "dora", "ana", "dora"]);

  // A change of a few rows needs no approval.
  const few = await people
    .agent("bot")
    .call("db.execute", { ...raise, sql: `${raise.sql} and id <= 1000` }, { waitMs: 120_000 });
  expect(few).toMatchObject({ kind: "succeeded", output: { rows: 1_000 } });
});

/** Waits for a round other than `than`, and returns it. */
async function waiting(call: string, than?: string): Promise<{ id: string; digest: string }> {
  let found: { id: string; digest: string } | undefined;
  await expect
    .poll(
      async () => {
        found = (await look(call)).waiting?.approval;
        return found !== undefined && found.id !== than;
      },
      { interval: 50 },
    )
    .toBe(true);
  return found!;
}
