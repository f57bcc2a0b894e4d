import type { Pool, PoolClient } from "pg";

/**
 * After so many uses, a connection plans its statements again. It plans them at first for the sizes that the tables have
 * then. For an empty table, all indexes cost the same, so PostgreSQL may choose one that it must read through for the
 * whole tenant. It would keep this plan until the next analyze, which can be a minute away.
 */
const replanAfterUses: readonly number[] = [10, 100, 1_000, 10_000];

/** Makes the connections of a pool plan their statements again as the tables grow. */
export function replanWhileTablesGrow(pool: Pool): void {
  const uses = new WeakMap<PoolClient, number>();
  pool.on("release", (error, client) => {
    const count = (uses.get(client) ?? 0) + 1;
    uses.set(client, count);
    // If this fails, the connection is broken, and its next statement fails too.
    if (!error && replanAfterUses.includes(count)) client.query("discard plans").catch(() => {});
  });
}
