import {
  type Call,
  type Finding,
  type OutcomeKind,
  type Preview,
  type Principal,
  seesEverything,
} from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/** Lists calls for people and agents, newest first by id. Ids are ordered by time. */
export async function listCalls(
  app: Pool,
  principal: Principal,
  filter: {
    state?: "open" | "closed";
    capability?: string;
    outcome?: OutcomeKind;
    resolved?: boolean;
    stuck?: boolean;
    steps?: boolean;
    before?: string;
    limit: number;
  },
) {
  const rows = await withTenant(app, principal.tenant, (query) =>
    query<CallListRow>(
      `select c.id, c.capability, c.version, c.principal, c.state, c.outcome, c.outcome_code, c.created_at, c.closed_at,
              c.parent, c.step, c.stuck, r.finding
       from paraph.call c left join paraph.resolution r on r.tenant = c.tenant and r.call = c.id
       where c.tenant = $1 and ($2::text is null or c.principal = $2) and ($3::text is null or c.id < $3)
         and ($4::text is null or (c.state = 'closed') = ($4 = 'closed')) and ($5::text is null or c.capability = $5)
         and ($7::text is null or c.outcome = $7) and ($8::boolean is null or (r.finding is not null) = $8)
         and ($9 or c.parent is null) and (not $10 or c.stuck is not null)
       order by c.id desc limit $6`,
      [
        principal.tenant,
        toOwnerFilter(principal),
        filter.before ?? null,
        filter.state ?? null,
        filter.capability ?? null,
        filter.limit,
        filter.outcome ?? null,
        filter.resolved ?? null,
        filter.steps ?? true,
        filter.stuck ?? false,
      ],
    ),
  );
  return rows.map((row) => ({
    call: row.id,
    capability: row.capability,
    version: row.version,
    principal: row.principal,
    state: row.state,
    ...(row.outcome !== null && { outcome: { kind: row.outcome, code: row.outcome_code } }),
    createdAt: row.created_at.getTime(),
    ...(row.closed_at && { closedAt: row.closed_at.getTime() }),
    ...(row.finding !== null && { finding: row.finding }),
    ...(row.stuck !== null && { stuck: row.stuck }),
    ...(row.parent !== null && { parent: { call: row.parent, step: row.step } }),
  }));
}

/** The maximum number of open rounds that one page scans, so that the cost of a page does not grow with a flood. */
export const maxScannedRounds = 1_000;

/**
 * Joins that look up the call of round `a`, or a round by its id, by primary key. `offset 0` prevents PostgreSQL from
 * planning a hash join. A hash join would read every call of the tenant to find at most a thousand of them.
 */
export const joinCallSql =
  "cross join lateral (select * from paraph.call k where k.tenant = $1 and k.id = a.call offset 0) c";
export const joinApproval = (id: string): string =>
  `cross join lateral (select * from paraph.approval r where r.tenant = $1 and r.id = ${id} offset 0) a`;

/**
 * Lists rounds of one status. If one principal and capability have more than `singles` open rounds, these rounds are a
 * flood. A flood is one entry of the page, with up to `items` of its rounds. One query loads all floods, because a page
 * may hold a hundred of them. If floods shorten the page, the next page starts after the last round that was scanned.
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

/** Builds the query that every list of rounds uses. Its arguments are constants of this file and never user input. */
function selectApprovals(flood: string, source: string, lastLooked = "null::text"): string {
  return `select a.id, a.call, a.round, a.status, a.digest, a.guards, a.expires_at, c.capability, c.principal, ${flood}, ${lastLooked} as last_looked,
            (select count(*)::int from paraph.vote v where v.tenant = $1 and v.approval = a.id) as votes,
            (select e.at from paraph.event e where e.tenant = $1 and e.call = a.call and e.kind = 'asked' order by e.seq desc limit 1) as asked_at
          from ${source} ${joinCallSql}`;
}

function toApprovalItem(row: ApprovalListRow) {
  return {
    approval: row.id,
    call: row.call,
    round: row.round,
    status: row.status,
    digest: row.digest,
    capability: row.capability,
    principal: row.principal,
    guards: row.guards,
    votes: row.votes,
    askedAt: row.asked_at.getTime(),
    expiresAt: row.expires_at.getTime(),
  };
}

/** Returns the second-to-last preview of a call, which the previous round was about. */
export async function findEarlierPreview(app: Pool, { tenant, call }: Call): Promise<Preview | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ body: string }>(
      `select body from paraph.payload where tenant = $1 and call = $2 and name = 'preview'
       order by version desc offset 1 limit 1`,
      [tenant, call],
    ),
  );
  return rows[0] && JSON.parse(rows[0].body);
}

/** Returns the signed receipt of a call as text, or undefined if the call has none. */
export async function findEnvelope(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.receipt where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}

/** Returns the signed statement about how an unknown outcome was resolved, or undefined if it is unresolved. */
export async function findResolution(app: Pool, tenant: string, call: string): Promise<string | undefined> {
  const rows = await withTenant(app, tenant, (query) =>
    query<{ envelope: string }>("select envelope from paraph.resolution where tenant = $1 and call = $2", [
      tenant,
      call,
    ]),
  );
  return rows[0]?.envelope;
}

function toOwnerFilter(principal: Principal): string | null {
  return seesEverything(principal) ? null : principal.id;
}

interface CallListRow {
  id: string;
  capability: string;
  version: number;
  principal: string;
  state: never;
  outcome: never;
  outcome_code: string;
  created_at: Date;
  closed_at: Date | null;
  parent: string | null;
  step: string;
  finding: Finding | null;
  stuck: string | null;
}

interface ApprovalListRow {
  id: string;
  call: string;
  round: number;
  status: never;
  digest: string;
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
