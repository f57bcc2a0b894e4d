import type { Query } from "./database.ts";

/** A number of things that wait, and the age of the oldest one. The age is missing if nothing waits. */
interface Waiting {
  readonly count: number;
  readonly oldestMs?: number;
}

/** The work that waits. Each number stops at `maxCounted`. */
export interface Backlog {
  /** The open approvals. `byAge` has one number for each range that `approvalAges` separates. */
  readonly approvals: Waiting & { readonly byAge: readonly number[] };
  /** The calls that a worker should have continued by now. */
  readonly due: Waiting;
  /** The calls that wait for `paraph retry`. */
  readonly stuck: number;
  /** The calls with an unknown outcome that no person or probe has resolved. */
  readonly unknown: number;
  readonly locksHeld: number;
}

/** The ages in minutes that separate the ranges of `byAge`. */
export const approvalAges = [5, 60, 240, 1_440] as const;

/** The maximum of each number. It bounds the cost of counting, and an exact larger number would not help a reader. */
const maxCounted = 10_000;

/**
 * Counts the work that waits. The rights of the connection decide which work: of all tenants for the sweeper's role, and
 * of one tenant inside `withTenant`. Every count reads a partial index of open work, so that the number of closed calls
 * does not matter.
 */
export async function readBacklog(query: Query): Promise<Backlog> {
  const [row] = await query<BacklogRow>(backlogSql);
  const { approvals, due, ...numbers } = row!;
  return {
    ...numbers,
    approvals: { ...toWaiting(approvals), byAge: approvals.byAge },
    due: toWaiting(due),
  };
}

/** The numbers that belong to the deployment and to no tenant. */
export interface DeploymentStatus {
  /** The workers that hold their lease now. */
  readonly workers: number;
  /** The deliveries to active endpoints that failed and will be repeated. */
  readonly webhooks: Waiting;
  /** The notices that are due or failed, for each channel and kind. The age is since then. */
  readonly notices: readonly (Waiting & { readonly channel: string; readonly kind: string })[];
}

/** Reads the numbers that belong to the deployment and to no tenant. */
export async function readDeploymentStatus(query: Query): Promise<DeploymentStatus> {
  const [row] = await query<DeploymentRow>(deploymentSql);
  const { workers, webhooks, notices } = row!;
  return {
    workers,
    webhooks: toWaiting(webhooks),
    notices: notices.map(({ channel, kind, ...waiting }) => ({ channel, kind, ...toWaiting(waiting) })),
  };
}

const ageSql = (since: string) => `paraph.millis(paraph.now()) - paraph.millis(${since})`;

/** Counts rows up to the maximum. */
const countSql = (from: string) =>
  `(select count(*)::int from (select from ${from} limit ${maxCounted}) counted)`;

/**
 * The number of open approvals in each range of ages, the newest first. It compares ids instead of times, because the id
 * of an approval begins with the time at which people were asked.
 */
const byAgeSql = [...approvalAges, undefined]
  .map((end, range) => {
    const start = approvalAges[range - 1];
    const bounds = [
      ...(start === undefined ? [] : [`id < ${idSql(start)}`]),
      ...(end === undefined ? [] : [`id >= ${idSql(end)}`]),
    ];
    return `count(*) filter (where ${bounds.join(" and ")})`;
  })
  .join(", ");

/** Returns the SQL of where the ids of approvals of this age begin. */
function idSql(minutes: number): string {
  return `(select 'ask_' || paraph.id_digits(paraph.now() - interval '${minutes} minutes'))`;
}

const backlogSql = `
  select
    (select json_build_object('count', count(*), 'oldestMs', ${ageSql("paraph.id_time(min(id))")}, 'byAge', json_build_array(${byAgeSql}))
     from (select id collate "C" as id from paraph.approval where status = 'open' order by id limit ${maxCounted}) open) as approvals,
    (select json_build_object('count', count(*), 'oldestMs', ${ageSql("min(next_at)")})
     from (select next_at from paraph.call where next_at <= (select paraph.now()) order by next_at limit ${maxCounted}) due) as due,
    ${countSql("paraph.call where stuck is not null")} as stuck,
    ${countSql(`paraph.call c where c.outcome = 'unknown'
      and not exists (select from paraph.resolution r where r.tenant = c.tenant and r.call = c.id)`)} as unknown,
    ${countSql("paraph.lock where holder is not null")} as "locksHeld"`;

const deploymentSql = `
  select
    (select count(*)::int from paraph.process_lease
     where dead_at is null and worker_url is not null and paraph.lease_held(life)) as workers,
    (select json_build_object('count', count(*), 'oldestMs', ${ageSql("min(failing_since)")})
     from paraph.webhook_endpoint e cross join lateral (
       select failing_since from paraph.webhook_delivery d
       where d.endpoint = e.id and d.delivered < d.wanted and d.failing_since is not null
       order by next_at limit ${maxCounted}) failing
     where e.active) as webhooks,
    (select coalesce(json_agg(json_build_object('channel', channel, 'kind', kind, 'count', count, 'oldestMs', "oldestMs")), '[]')
     from (select channel, kind, count(*), ${ageSql("min(coalesce(failing_since, next_at))")} as "oldestMs"
           from (select n.channel, n.kind, n.failing_since, n.next_at
                 from paraph.webhook_endpoint e join paraph.notice n on e.id = 'channel:' || n.channel
                 where e.active and n.state = 'waiting' and (n.next_at <= (select paraph.now()) or n.failing_since is not null)
                 limit ${maxCounted}) overdue
           group by channel, kind) waiting) as notices`;

interface DeploymentRow {
  workers: number;
  webhooks: WaitingRow;
  notices: (WaitingRow & { channel: string; kind: string })[];
}

interface BacklogRow extends Pick<Backlog, "stuck" | "unknown" | "locksHeld"> {
  approvals: WaitingRow & { byAge: number[] };
  due: WaitingRow;
}

interface WaitingRow {
  count: number;
  oldestMs: number | null;
}

/** Processes stamp ids, and the database reads the clock, so the age of something new could be slightly negative. */
function toWaiting({ count, oldestMs }: WaitingRow): Waiting {
  return { count, ...(oldestMs !== null && { oldestMs: Math.max(0, oldestMs) }) };
}
