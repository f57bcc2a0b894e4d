import type { Principal, Risk } from "@paraph/core";
import type { Pool } from "pg";
import { headlineSql, readHeadline } from "../calls/headline.ts";
import { withTenant } from "../database.ts";
import { joinApproval, joinCallSql, maxScannedRounds } from "./approval-queries.ts";
import { joinRequesterSql, type QuestionRow, questionColumns, toReaderQuestion } from "./questions.ts";

/**
 * Lists the open rounds for one person. The round that expires first comes first. If one principal has more than
 * `singles` open rounds for one capability, these rounds are a flood. A flood is one entry of the page, with up to `items`
 * of its rounds, because the person may decide some of them and not others.
 */
export async function listInbox(
  app: Pool,
  reader: Principal,
  {
    after,
    limit,
    singles,
    items,
  }: {
    after?: { expiresAt: number; approval: string };
    limit: number;
    singles: number;
    items: number;
  },
) {
  const rows = await withTenant(app, reader.tenant, (query) =>
    query<InboxRow>(
      // The query selects the page first and then its details. The other order would load the details of every open
      // round.
      `with looked as materialized (
         select a.id, a.expires_at, c.principal, c.capability
         from (select id, call, expires_at from paraph.approval
               where tenant = $1 and status = 'open' and expires_at > paraph.now() and ($3::timestamptz is null or (expires_at, id) > ($3, $4))
               order by expires_at, id limit ${maxScannedRounds}) a
         ${joinCallSql}
       ), counted as materialized (
         select id, expires_at, principal, capability, count(*) over kind as flood, row_number() over (kind order by expires_at, id) as place from looked
         window kind as (partition by principal, capability)
       ), page as materialized (
         select id, principal, capability, flood from counted
         where flood <= $6 or place = 1 order by expires_at, id limit $5
       ), shown as materialized (
         select id, case when flood > $6 then flood::int end as flood, place = 1 as first from counted
         where id in (select id from page)
            or (flood > $6 and place <= $7 and (principal, capability) in (select principal, capability from page where flood > $6))
       )
       select a.id, a.expires_at, shown.flood, shown.first,
              last.expires_at as last_at, last.id as last_id, c.capability,
              (select count(*)::int from paraph.vote v where v.tenant = a.tenant and v.approval = a.id) as votes,
              (select e.data->'steps' from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'asked' and (e.data->>'round')::int = a.round) as steps,
              ${headlineSql} as headline,
              ${questionColumns}
       from shown
         left join (select expires_at, id from looked order by expires_at, id offset ${maxScannedRounds - 1}) last on true
         ${joinApproval("shown.id")}
         ${joinCallSql}
         ${joinRequesterSql}
       order by a.expires_at, a.id`,
      [
        reader.tenant,
        reader.id,
        after ? new Date(after.expiresAt) : null,
        after?.approval ?? null,
        limit,
        singles,
        items,
      ],
    ),
  );
  const entries = rows.filter(({ flood, first }) => flood === null || first);
  const last = entries.at(-1);
  const full = entries.length === limit &&
    last && { expiresAt: last.expires_at.getTime(), approval: last.id };
  const further =
    last?.last_at && last.last_id !== null
      ? { expiresAt: last.last_at.getTime(), approval: last.last_id }
      : undefined;
  const next = full || further;
  return { rows: entries.map((row) => toInboxEntry(row, rows)), ...(next && { next }) };
}

function toInboxEntry(row: InboxRow, rows: readonly InboxRow[]) {
  const { principal, capability, flood: count } = row;
  const items = rows
    .filter((one) => one.flood !== null && one.principal === principal && one.capability === capability)
    .map(toInboxItem);
  return { ...toInboxItem(row), ...(count !== null && { flood: { count, items } }) };
}

function toInboxItem(row: InboxRow) {
  return {
    approval: row.id,
    ...readHeadline(row),
    capability: row.capability,
    votes: row.votes,
    expiresAt: row.expires_at.getTime(),
    ...toReaderQuestion(row),
    ...(row.steps && { steps: row.steps }),
  };
}

interface InboxRow extends QuestionRow {
  id: string;
  headline: string | null;
  expires_at: Date;
  capability: string;
  flood: number | null;
  /** Whether this round of its flood expires first. */
  first: boolean;
  steps: Readonly<Partial<Record<Risk, number>>> | null;
  last_at: Date | null;
  last_id: string | null;
  votes: number;
}
