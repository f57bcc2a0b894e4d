import { expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import { countUsedPages } from "../test-page-count.ts";

const database = await createTestDatabase();

/** Frees one of two keys, for both of which this many calls wait, and returns the pages that PostgreSQL read. */
async function countPages(waiting: number): Promise<number> {
  await database.query("select set_config('paraph.tenant', 'acme', false)");
  await database.query("insert into paraph.lock values ('acme', 'a', 'call-0'), ('acme', 'b', 'call-0')");
  await database.query(
    `insert into paraph.lock_waiter (tenant, key, call, position)
     select 'acme', key, 'call-' || n, n from generate_series(1, $1::int) n, unnest(array['a', 'b']) key`,
    [waiting],
  );
  await database.query("analyze paraph.lock_waiter");
  // The first call in a session also reads the catalog.
  for (let n = 0; n < 8; n++) await database.query("select paraph.release('acme', 'call-0', array['none'])");
  const rows = await database.query(
    "explain (analyze, buffers, timing off, summary off) select paraph.release('acme', 'call-0', array['a', 'b'])",
  );
  await database.query("delete from paraph.lock_waiter");
  await database.query("delete from paraph.lock");
  return countUsedPages(rows);
}

it("freeing a key costs as much with 2,000 waiting calls as with 10", async () => {
  const [few, many] = [await countPages(10), await countPages(2_000)];
  expect(many).toBeGreaterThan(0);
  expect(many).toBeLessThan(few * 3);
});
