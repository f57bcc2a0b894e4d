import type { Wake } from "@paraph/core";
import type { Pool } from "pg";

/**
 * Calls whose `next_at` has passed: their message was lost, or the engine that had it. They are pushed ahead by
 * ten seconds in the same statement, so that several sweepers share the work and a stuck call is not hammered.
 */
export async function sweep(sweeper: Pool, limit = 500): Promise<Wake[]> {
  const { rows } = await sweeper.query({
    name: "sweep",
    text: `
      update paraph.call c set next_at = paraph.now() + interval '10 seconds'
      from (select tenant, id from paraph.call where next_at <= paraph.now() order by next_at limit $1 for update skip locked) due
      where c.tenant = due.tenant and c.id = due.id
      returning c.tenant, c.id as call, c.epoch::int as epoch`,
    values: [limit],
  });
  return rows;
}
