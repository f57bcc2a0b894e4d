import type { OwnerSession } from "./owner-session.ts";

/**
 * Deletes old rows that Paraph no longer reads: deliveries to endpoints that the configuration no longer names, requests
 * whose result was not delivered within a day, and summaries of notices. The poller deletes old observations itself.
 */
export async function deleteUnusedRows({ tenant, query }: OwnerSession, before: number): Promise<number> {
  const [row] = await query<{ rows: number }>(
    `with deliveries as (
       delete from paraph.webhook_delivery d where d.tenant = $1 and d.next_at < to_timestamp($2 / 1000.0)
         and not exists (select from paraph.webhook_endpoint e where e.id = d.endpoint and e.active) returning 1
     ), undelivered as (
       delete from paraph.undelivered where tenant = $1 and at < to_timestamp($2 / 1000.0) returning 1
     ), summaries as (
       delete from paraph.notice where tenant = $1 and kind = 'summary' and at < to_timestamp($2 / 1000.0) returning 1
     )
     select ((select count(*) from deliveries) + (select count(*) from undelivered) + (select count(*) from summaries))::int as rows`,
    [tenant, before],
  );
  return row!.rows;
}
