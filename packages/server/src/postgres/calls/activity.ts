import { type Finding, type OutcomeKind, type Principal, planCapability, type Vote } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/** The entry after which a page of activity starts. */
interface ActivityCursor {
  readonly at: number;
  readonly call: string;
  readonly seq: number;
}

interface ActivityFilter {
  readonly plan?: string;
  readonly call?: string;
  readonly principal?: string;
  readonly capability?: string;
  readonly kinds?: readonly string[];
  readonly outcome?: string;
  readonly since?: number;
  readonly until?: number;
  readonly before?: ActivityCursor;
  readonly limit: number;
}

/**
 * The maximum number of events that one page scans. It bounds the cost of a page if only few events of the ledger
 * match.
 */
const maxScannedEvents = 5_000;

/**
 * Lists the activity of people and calls, newest first. `own` restricts the list to calls that this reader requested
 * and actions that this reader took.
 */
export async function listActivity(
  app: Pool,
  { tenant, id }: Principal,
  own: boolean,
  filter: ActivityFilter,
) {
  const { plan, call, limit } = filter;
  const range = [
    tenant,
    toDate(filter.since),
    toDate(filter.until),
    toDate(filter.before?.at),
    filter.before?.call ?? null,
    filter.before?.seq ?? null,
  ];
  const wanted = [
    limit,
    own ? id : null,
    filter.principal ?? null,
    filter.capability ?? null,
    filter.kinds ?? null,
    filter.outcome ?? null,
    planCapability,
  ];
  const isOfWhole = plan !== undefined || call !== undefined;
  return withTenant(app, tenant, async (query) => {
    const rows = isOfWhole
      ? await query<ActivityRow>(`${wholeCte} ${selectEntries(wholeEventsSql)}`, [
          ...range,
          ...wanted,
          plan ?? null,
          call ?? null,
        ])
      : await query<ActivityRow>(selectEntries(selectNewest(`limit ${maxScannedEvents}`)), [
          ...range,
          ...wanted,
        ]);
    const [further] =
      isOfWhole || rows.length === limit
        ? rows.slice(limit - 1)
        : await query<ActivityRow>(selectNewest(`offset ${maxScannedEvents - 1} limit 1`), range);
    return { activity: rows.map(toActivity), ...(further && { next: toActivityCursor(further) }) };
  });
}

/** This text must equal the condition of the index `event_activity`. Otherwise PostgreSQL does not use the index. */
export const activityKindCondition =
  "kind in ('asked', 'voted', 'reassigned', 'revealed', 'withdrawn', 'began', 'closed', 'resolved')";

const rangeCondition = `tenant = $1 and ${activityKindCondition}
  and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)
  and ($4::timestamptz is null or (at, call, seq) < ($4, $5, $6))`;

function selectNewest(bounds: string): string {
  return `select * from paraph.event where ${rangeCondition} order by at desc, call desc, seq desc ${bounds}`;
}

/**
 * Selects a plan with all its direct and indirect steps and the calls that undo any of them. For a single call it
 * selects only that call.
 */
const wholeCte = `with recursive whole (id) as (
    select coalesce($14, $15)
  union
    select further.id from whole cross join lateral (
      select k.id from paraph.call k where k.tenant = $1 and k.parent = whole.id
      union all
      select u.call from paraph.event u where u.tenant = $1 and u.kind = 'accepted' and u.data ? 'undoes' and u.data->>'undoes' = whole.id
    ) further where $14::text is not null
  )`;

const wholeEventsSql = `select x.* from whole cross join lateral (select * from paraph.event where ${rangeCondition} and call = whole.id offset 0) x
  where $15::text is null or x.call = $15`;

const undoesSql =
  "(select a.data->>'undoes' from paraph.event a where a.tenant = $1 and a.call = e.call and a.kind = 'accepted')";

/** The name of the activity that an event stands for. */
const kindSql = `case e.kind
    when 'asked' then 'ask' when 'voted' then e.data->>'decision' when 'reassigned' then 'reassign' when 'revealed' then 'reveal'
    when 'withdrawn' then 'withdraw' when 'began' then 'begin' when 'resolved' then 'resolve'
    else case when e.data->>'outcome' not in ('succeeded', 'failed', 'unknown') then 'end'
              when c.step = '$compensation' or ${undoesSql} is not null then 'undo' else 'apply' end
  end`;

/**
 * The SQL expression for the plan of a call. For a step, it is the outermost call above the step. For a call without a
 * parent, it is the call itself if the call is a plan or has steps. With `exists` instead of `limit 1`, PostgreSQL would
 * read all calls of the tenant first.
 */
const planSql = `case when c.parent is not null then (
      with recursive up as (select c.id, c.parent union all select k.id, k.parent from up join paraph.call k on k.tenant = $1 and k.id = up.parent)
      select up.id from up where up.parent is null)
    when c.capability = $13 or (select true from paraph.call k where k.tenant = $1 and k.parent = c.id limit 1) then c.id end`;

/**
 * Builds the query for the entries of a page. The lateral join keeps the order of the events, so that PostgreSQL can
 * stop when the page is full.
 */
function selectEntries(source: string): string {
  return `select e.call, e.seq, e.at, ${kindSql} as kind, ${planSql} as plan, c.step, ${undoesSql} as undoes, c.capability, c.principal, c.on_behalf_of,
      coalesce(e.data->>'by', e.data->>'editedBy') as by, e.data->>'to' as "to", e.data->>'as' as "as",
      (select a.id from paraph.approval a where a.tenant = $1 and a.call = e.call and a.round = (e.data->>'round')::int) as approval,
      (e.data->>'round')::int as round, e.data->>'outcome' as outcome, e.data->>'code' as code, e.data->>'finding' as finding,
      e.data->'declined' as declined, e.data->>'successor' as successor,
      case when e.kind = 'closed' then (select r.digest from paraph.receipt r where r.tenant = $1 and r.call = e.call) end as receipt
    from (${source}) e cross join lateral (select * from paraph.call k where k.tenant = $1 and k.id = e.call offset 0) c
    where ($8::text is null or c.principal = $8 or e.data->>'by' = $8) and ($9::text is null or c.principal = $9 or e.data->>'by' = $9)
      and ($10::text is null or c.capability = $10) and ($11::text[] is null or ${kindSql} = any ($11)) and ($12::text is null or e.data->>'outcome' = $12)
    order by e.at desc, e.call desc, e.seq desc limit $7`;
}

function toActivity(row: ActivityRow) {
  const { call, seq, at, kind, capability, principal } = row;
  const told = {
    plan: row.plan,
    step: row.step,
    undoes: row.undoes,
    onBehalfOf: row.on_behalf_of,
    by: row.by,
    to: row.to,
    as: row.as,
    approval: row.approval,
    round: row.round,
    outcome: row.outcome,
    code: row.code,
    finding: row.finding,
    declined: row.declined,
    successor: row.successor,
    receipt: row.receipt,
  };
  const known = Object.entries(told).filter(([, value]) => value !== null);
  return {
    id: `${call}.${seq}`,
    at: at.getTime(),
    kind,
    call,
    capability,
    principal,
    ...(Object.fromEntries(known) as {
      readonly [Name in keyof typeof told]?: NonNullable<(typeof told)[Name]>;
    }),
  };
}

function toActivityCursor({ at, call, seq }: Pick<ActivityRow, "at" | "call" | "seq">): ActivityCursor {
  return { at: at.getTime(), call, seq };
}

function toDate(at: number | undefined): Date | null {
  return at === undefined ? null : new Date(at);
}

interface ActivityRow {
  call: string;
  seq: number;
  at: Date;
  kind: never;
  plan: string | null;
  step: string | null;
  undoes: string | null;
  capability: string;
  principal: string;
  on_behalf_of: string | null;
  by: string | null;
  to: string | null;
  as: Vote["as"] | null;
  approval: string | null;
  round: number | null;
  outcome: OutcomeKind | null;
  code: string | null;
  finding: Finding | null;
  declined: readonly string[] | null;
  successor: string | null;
  receipt: string | null;
}
