import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { connectDatabase } from "./database.ts";
import { countUsedPages } from "./test-page-count.ts";

const owner = await createTestDatabase();
const { app, close } = await connectDatabase(owner.url, { connections: 1 });
afterAll(close);

async function growTables(first: number, last: number): Promise<void> {
  await owner.query(
    `insert into paraph.approval (tenant, id, call, round, digest, guards, expires_at)
     select 'acme', 'approval-' || n, 'call-' || n, 1, '', '[]', now() from generate_series($1::int, $2::int) n`,
    [first, last],
  );
  await owner.query(
    `insert into paraph.observation (tenant, adapter, id, seq, kind, subject, at, observed_at, body)
     select 'acme', 'mail', 'mail-' || n, n, 'mail', '', now(), now(), '{}' from generate_series($1::int, $2::int) n`,
    [first, last],
  );
  await owner.query("analyze");
}

/** Returns how many pages PostgreSQL reads for a query, once it has cached the plans. */
async function countPages(query: string): Promise<number> {
  await app.query("begin");
  await app.query(query);
  const { rows } = await app.query(`explain (analyze, buffers, timing off, summary off) ${query}`);
  await app.query("rollback");
  return countUsedPages(rows);
}

it("a vote and an observation read no more pages as the tables grow", async () => {
  const vote = `select paraph.timely('acme', '{"vote": {"approval": "approval-7"}}')`;
  const observation = `select paraph.observe('acme', 'mail', epoch, null, '[{"id": "mail-7"}]', '1 s', '1 day') from paraph.poll`;
  await owner.query("insert into paraph.tenant (id) values ('acme')");
  await owner.query("insert into paraph.poll (tenant, adapter, next_at) values ('acme', 'mail', now())");
  await app.query(
    "select set_config('paraph.tenant', 'acme', false), set_config('plan_cache_mode', 'force_generic_plan', false)",
  );
  await growTables(1, 4_000);
  const early = [await countPages(vote), await countPages(observation)];
  await growTables(4_001, 40_000);
  const late = [await countPages(vote), await countPages(observation)];
  expect(late[0]).toBeLessThan(early[0]! * 2);
  expect(late[1]).toBeLessThan(early[1]! * 2);
});
