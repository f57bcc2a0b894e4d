import type { Principal } from "@paraph/core";
import type { Pool } from "pg";
import { headlineSql, readHeadline } from "../calls/headline.ts";
import { withTenant } from "../database.ts";

/** The maximum number of open rounds that one page scans. It bounds the cost of a page during a flood. */
export const maxScannedRounds = 1_000;

/**
 * The SQL joins that look up the call of round `a`, or a round by its id. Both use the primary key. `offset 0` prevents
 * PostgreSQL from planning a hash join, which would read every call of the tenant to find at most a thousand.
 */
export const joinCallSql =
  "cross join lateral (select * from paraph.call k where k.tenant = $1 and k.id = a.call offset 0) c";
export const joinApproval = (id: string): string =>
  `cross join lateral (select * from paraph.approval r where r.tenant = $1 and r.id = ${id} offset 0) a`;

/**
 * Lists rounds of one status. If one principal has more than `singles` open rounds for one capability, these rounds are
 * a flood. A flood is one entry of the page, with up to `items` of its rounds. One query loads all floods, because a
 * page may hold a hundred of them. If floods shorten the page, the next page starts after the last scanned round.
 */
export async function listApprovals(
  app: Pool,
  { tenant }: Principal,
  filter: { status: string; before?: string; limit: number; singles: number; items: number },
) {
  const { status, before, limit, singles, items } = filter;
  const rows = await withTenant(app, tenant, (query) =>
    status === "open"
      ? query<ApprovalListRow>(
          `with looked as materialized (
             select a.id, c.principal, c.capability
             from (select id, call from paraph.approval where tenant = $1 and status = 'open' and ($2::text is null or id < $2) order by id desc limit ${maxScannedRounds}) a
             ${joinCallSql}
           ), counted as materialized (
             select id, principal, capability, count(*) over kind as flood, row_number() over (kind order by id desc) as place from looked
             window kind as (partition by principal, capability)
           ), page as materialized (
             select id, principal, capability, flood from counted where flood <= $4 or place = 1 order by id desc limit $3
           ), shown as materialized (
             select id, case when flood > $4 then flood::int end as flood, place = 1 as first from counted
             where id in (select id from page)
                or (flood > $4 and place <= $5 and (principal, capability) in (select principal, capability from page where flood > $4))
           )
           ${selectApprovals("shown.flood, shown.first", `shown ${joinApproval("shown.id")}`, `(select case when count(*) = ${maxScannedRounds} then min(id) end from looked)`)}
           order by a.id desc`,
          [tenant, before ?? null, limit, singles, items],
        )
      : query<ApprovalListRow>(
          `${selectApprovals(noFloodColumns, "paraph.approval a")}
           where a.tenant = $1 and a.status = $4 and ($2::text is null or a.id < $2) order by a.id desc limit $3`,
          [tenant, before ?? null, limit, status],
        ),
  );
  const entries = rows.filter(({ flood, first }) => flood === null || first);
  const next = entries.length === limit ? entries.at(-1)?.id : rows[0]?.last_looked;
  return {
    approvals: rows.filter(({ flood }) => flood === null).map(toApprovalItem),
    bundles: entries.flatMap((row) => (row.flood === null ? [] : [toBundle(row, row.flood, rows)])),
    ...(typeof next === "string" && { next }),
  };
}

function toBundle(
  { principal, capability }: ApprovalListRow,
  count: number,
  rows: readonly ApprovalListRow[],
) {
  const items = rows.filter(
    (row) => row.flood !== null && row.principal === principal && row.capability === capability,
  );
  return { principal, capability, count, items: items.map(toApprovalItem) };
}

/** Lists the open rounds of one principal and capability, newest first. */
export async function listFlood(
  app: Pool,
  { tenant }: Principal,
  of: { principal: string; capability: string },
  limit: number,
) {
  const rows = await withTenant(app, tenant, (query) =>
    query<ApprovalListRow>(
      `with asked as materialized (
         select id from paraph.call where tenant = $1 and principal = $2 and capability = $3 and state = 'asking' order by id desc limit $4
       )
       ${selectApprovals(noFloodColumns, "asked cross join lateral (select * from paraph.approval r where r.tenant = $1 and r.call = asked.id and r.status = 'open' offset 0) a")}
       order by a.id desc`,
      [tenant, of.principal, of.capability, limit],
    ),
  );
  return rows.map(toApprovalItem);
}

/** The flood columns of rounds that belong to no flood. */
const noFloodColumns = "null::int as flood, null::boolean as first";

/**
 * Builds the query that every list of rounds uses. The arguments of this function are constants of this file and never
 * user input.
 */
function selectApprovals(flood: string, source: string, lastLooked = "null::text"): string {
  return `select a.id, a.call, a.round, a.status, a.digest, a.guards, a.expires_at, c.capability, c.principal, ${flood}, ${lastLooked} as last_looked,
            (select count(*)::int from paraph.vote v where v.tenant = $1 and v.approval = a.id) as votes,
            (select e.at from paraph.event e where e.tenant = $1 and e.call = a.call and e.kind = 'asked' order by e.seq desc limit 1) as asked_at,
            ${headlineSql} as headline
          from ${source} ${joinCallSql}`;
}

function toApprovalItem(row: ApprovalListRow) {
  return {
    approval: row.id,
    call: row.call,
    round: row.round,
    status: row.status,
    digest: row.digest,
    ...readHeadline(row),
    capability: row.capability,
    principal: row.principal,
    guards: row.guards,
    votes: row.votes,
    askedAt: row.asked_at.getTime(),
    expiresAt: row.expires_at.getTime(),
  };
}

interface ApprovalListRow {
  id: string;
  call: string;
  round: number;
  status: never;
  digest: string;
  headline: string | null;
  guards: never;
  capability: string;
  principal: string;
  votes: number;
  asked_at: Date;
  expires_at: Date;
  flood: number | null;
  /** Whether this is the newest round of its flood. */
  first: boolean | null;
  last_looked: string | null;
}
