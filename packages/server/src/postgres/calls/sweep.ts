import type { Wake } from "@paraph/core";
import type { Pool } from "pg";

/**
 * Calls whose `next_at` has passed: their message was lost, or the engine that had it. They are pushed ahead by
 * ten seconds in the same statement, so that several sweepers share the work and a stuck call is not hammered.
 */
export async function sweepDueCalls(sweeper: Pool, limit = 500): Promise<Wake[]> {
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

/**
 * Calls that would wait for a time which only a wrong clock has seen: nothing but a question or an offer waits
 * longer than a quarter of an hour, except for a retry, which waits for an hour where a `Retry-After` says so.
 * A look that comes too early is answered with another. Rare, and not urgent: looked for once a minute.
 */
export async function sweepMisdatedCalls(sweeper: Pool, limit = 500): Promise<Wake[]> {
  const { rows } = await sweeper.query({
    name: "misdated",
    text: `
      update paraph.call c set next_at = paraph.now() + interval '10 seconds'
      from (select tenant, id from paraph.call where next_at > paraph.now() + case state when 'delayed' then interval '65 minutes' else interval '15 minutes' end
              and next_at > paraph.now() + interval '15 minutes' and state not in ('asking', 'offered', 'performing')
            limit $1 for update skip locked) late
      where c.tenant = late.tenant and c.id = late.id
      returning c.tenant, c.id as call, c.epoch::int as epoch`,
    values: [limit],
  });
  return rows;
}

/** Calls whose process was declared dead while it was acting for them: nobody else would look after them before their deadline. */
export async function listOrphanedCalls(sweeper: Pool, limit = 500): Promise<Wake[]> {
  const { rows } = await sweeper.query({
    name: "orphans",
    text: `
      select c.tenant, c.id as call, c.epoch::int as epoch
      from paraph.process_lease l join paraph.intent i on i.life = l.life and i.ended is null
      join paraph.call c on c.tenant = i.tenant and c.id = i.call
      where l.dead_at is not null and c.state = 'performing' and c.next_at is not null limit $1`,
    values: [limit],
  });
  return rows;
}

export async function forgetLeases(sweeper: Pool): Promise<void> {
  await sweeper.query("select paraph.forget_leases()");
}
