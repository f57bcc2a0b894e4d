import type { Pool } from "pg";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { connectDatabase } from "./database.ts";
import { countUsedPages } from "./test-page-count.ts";

const requests = 4_000;

const owner = await createTestDatabase();
const { app, close } = await connectDatabase(owner.url, { connections: 1 });
afterAll(close);

/** Returns how many pages PostgreSQL reads to learn whether a vote is in time. */
async function countPages(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `explain (analyze, buffers, timing off, summary off)
     select paraph.timely('acme', '{"vote": {"approval": "approval-7"}}')`,
  );
  return countUsedPages(rows);
}

it("a connection that planned for empty tables plans again as they grow", async () => {
  await owner.query("analyze");
  await app.query(
    "select set_config('paraph.tenant', 'acme', false), set_config('plan_cache_mode', 'force_generic_plan', false)",
  );
  await countPages(app);
  await owner.query(
    `insert into paraph.approval (tenant, id, call, round, digest, guards, expires_at)
     select 'acme', 'approval-' || n, 'call-' || n, 1, '', '[]', now() from generate_series(1, $1::int) n`,
    [requests],
  );
  const withOldPlan = await countPages(app);
  // Planning reads the catalog, so only later uses are measured.
  for (let use = 0; use < 10; use += 1) await countPages(app);
  expect(await countPages(app)).toBeLessThan(withOldPlan / 10);
});
