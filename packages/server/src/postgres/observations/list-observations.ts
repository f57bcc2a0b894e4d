import type { JsonObject, Principal } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

interface ObservationFilter {
  readonly adapter?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly since?: number;
  /** Only observations after this number. If it is unset, the page holds the latest observations. */
  readonly after?: number;
  readonly limit: number;
}

/**
 * The maximum number of observations that one page scans. It bounds the cost of a page if only few observations match.
 */
const maxScannedObservations = 5_000;

/**
 * Lists observations, oldest first. The next page continues after the number `next`, which is present even if there are
 * no more observations now.
 */
export async function listObservations(app: Pool, { tenant }: Principal, filter: ObservationFilter) {
  const { after, limit } = filter;
  return withTenant(app, tenant, async (query) => {
    // This query must run before the query for the page. An observation that is written between the two queries is then
    // on this page or a later one, and never skipped.
    const [horizon] = await query<{ seq: string | null }>(after === undefined ? newestSql : furthestSql, [
      tenant,
      ...(after === undefined ? [] : [after]),
    ]);
    const rows = await query<ObservationRow>(after === undefined ? lastPageSql : forwardPageSql, [
      ...[tenant, filter.adapter ?? null, filter.kind ?? null, filter.subject ?? null],
      ...[filter.since === undefined ? null : new Date(filter.since), limit],
      ...(after === undefined ? [] : [after]),
    ]);
    const last = Number(rows.at(-1)?.seq ?? 0);
    const isFull = after !== undefined && rows.length === limit;
    const next = isFull ? last : Math.max(after ?? 0, last, Number(horizon?.seq ?? 0));
    return { observations: rows.map(toObservation), next };
  });
}

/** Returns the newest sequence number of a tenant's observations. */
export async function readObservationHead(app: Pool, tenant: string): Promise<number> {
  const text = "select paraph.observation_head_of($1) as seq";
  return Number((await app.query({ name: "observation-head", text, values: [tenant] })).rows[0].seq);
}

/** Lists the polling state of each adapter for this tenant. */
export async function listAdapterPolls(app: Pool, { tenant }: Principal) {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ adapter: string; polled_at: Date | null; next_at: Date; failures: number; code: string | null }>(
      "select adapter, polled_at, next_at, failures, code from paraph.poll where tenant = $1 order by adapter",
      [tenant],
    ),
  );
  return rows.map(({ adapter, polled_at, next_at, failures, code }) => ({
    adapter,
    ...(polled_at && { polledAt: polled_at.getTime() }),
    nextAt: next_at.getTime(),
    failures,
    ...(code !== null && { code }),
  }));
}

const newestSql = "select seq from paraph.observation_head where tenant = $1";

/**
 * Selects the last number that a page can scan. If no observation is left after the given number, it selects the
 * tenant's newest number. Any observations between these two numbers have been deleted.
 */
const furthestSql = `select coalesce(
    (select max(seq) from (select seq from paraph.observation where tenant = $1 and seq > $2 order by seq limit ${maxScannedObservations}) o),
    (select seq from paraph.observation_head where tenant = $1)) as seq`;

const filterCondition = `($2::text is null or adapter = $2) and ($3::text is null or kind = $3) and ($4::text is null or subject = $4)
  and ($5::timestamptz is null or observed_at >= $5)`;

const forwardPageSql = `select * from (
    select * from paraph.observation where tenant = $1 and seq > $7 order by seq limit ${maxScannedObservations}) o
  where ${filterCondition} order by seq limit $6`;

const lastPageSql = `select * from (
    select * from (select * from paraph.observation where tenant = $1 order by seq desc limit ${maxScannedObservations}) o
    where ${filterCondition} order by seq desc limit $6) last
  order by seq`;

function toObservation(row: ObservationRow) {
  return {
    seq: Number(row.seq),
    adapter: row.adapter,
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    ...(row.at && { at: row.at.getTime() }),
    observedAt: row.observed_at.getTime(),
    ...(row.body !== null && { data: JSON.parse(row.body) as JsonObject }),
  };
}

interface ObservationRow {
  seq: string;
  adapter: string;
  id: string;
  kind: string;
  subject: string;
  at: Date | null;
  observed_at: Date;
  body: string | null;
}
