import type { Wake } from "@paraph/core";
import type { Pool } from "pg";

/** The tenants take turns among this many of the oldest due calls. */
const maxFairCalls = 10_000;

/**
 * Returns calls whose `next_at` has passed, which means that their message or the engine's state was lost. The same
 * statement postpones these calls by ten seconds. Several sweepers can therefore share the work, and a stuck call is
 * not retried in a tight loop. The tenants take turns, so that one tenant's many calls do not delay the others.
 */
export async function sweepDueCalls(sweeper: Pool, limit = 500): Promise<Wake[]> {
  const { rows } = await sweeper.query({
    name: "sweep",
    text: `
      update paraph.call c set next_at = paraph.now() + interval '10 seconds'
      from (select d.tenant, d.id from paraph.call d
            join (select tenant, id, next_at, row_number() over (partition by tenant order by next_at) as turn
                  from (select tenant, id, next_at from paraph.call where next_at <= (select paraph.now()) order by next_at limit $2) oldest
                  order by turn, next_at limit $1) fair on fair.tenant = d.tenant and fair.id = d.id
            where d.next_at <= (select paraph.now())
            for update of d skip locked) due
      where c.tenant = due.tenant and c.id = due.id
      returning c.tenant, c.id as call, c.epoch::int as epoch`,
    values: [limit, maxFairCalls],
  });
  return rows;
}

/**
 * Returns calls whose `next_at` lies too far ahead because a process with a wrong clock set it. The query skips calls
 * that wait for approvers, are offered, or are performing. The limit is about an hour for a retry, because of
 * `Retry-After`, and 15 minutes for any other call. If a call is woken too early, its segment only sets the next wait.
 * A wrong `next_at` is rare and not urgent, so the sweeper checks for it once a minute.
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

interface PlanSweep {
  /** Makes plans due of which a step ended since the last pass. */
  run(): Promise<void>;
}

/**
 * Creates a sweep for plans that wait although one of their steps has ended. The end of a step sends a message to its
 * plan, and this sweep covers a message that got lost. It skips the last two seconds, in which the message may still
 * arrive. Passes overlap by five seconds, because a transaction commits later than the time in its rows. The first pass
 * goes back 15 minutes. A plan that waits for longer is due anyway.
 */
export function createPlanSweep(sweeper: Pool): PlanSweep {
  let since: Date | undefined;
  return {
    async run() {
      const { rows } = await sweeper.query({
        name: "plans",
        text: `
          with passed as (select paraph.now() as at), moved as (
            update paraph.call c set next_at = passed.at
            from passed, (select plan.tenant, plan.id from paraph.call plan
                  join (select distinct tenant, parent from paraph.call
                        where parent is not null and closed_at <= (select at from passed) - interval '2 seconds'
                          and closed_at > least(coalesce($1, (select at from passed) - interval '15 minutes'), (select at from passed)) - interval '5 seconds') ended
                    on ended.tenant = plan.tenant and ended.parent = plan.id
                  where plan.state = 'composing' and plan.next_at > (select at from passed) + interval '10 seconds'
                  for update of plan skip locked) waiting
            where c.tenant = waiting.tenant and c.id = waiting.id)
          select at from passed`,
        values: [since],
      });
      since = rows[0].at;
    },
  };
}

/**
 * Returns calls that were performing when their process was declared dead. Without this query, they would wait until
 * their deadline.
 */
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

/** Deletes the leases of processes that died long ago and have no open intent. */
export async function forgetLeases(sweeper: Pool): Promise<void> {
  await sweeper.query("select paraph.forget_leases()");
}
