import type { Principal, Risk } from "@paraph/core";
import type { Pool } from "pg";
import { headlineSql, readHeadline } from "../calls/headline.ts";
import { withTenant } from "../database.ts";
import { joinApproval, joinCallSql, maxScannedRounds } from "./approval-queries.ts";
import { joinRequesterSql, type QuestionRow, questionColumns, toReaderQuestion } from "./questions.ts";

/** Lists the open rounds for one person. The round that expires first comes first. */
export async function listInbox(
  app: Pool,
  reader: Principal,
  {
    after,
    limit,
    singles,
  }: { after?: { expiresAt: number; approval: string }; limit: number; singles: number },
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
       ), counted as (
         select id, expires_at, count(*) over kind as flood, row_number() over (kind order by expires_at, id) as place from looked
         window kind as (partition by principal, capability)
       ), page as materialized (
         select id, case when flood > $6 then flood::int end as flood from counted
         where flood <= $6 or place = 1 order by expires_at, id limit $5
       )
       select a.id, a.expires_at, page.flood,
              last.expires_at as last_at, last.id as last_id, c.capability,
              (select count(*)::int from paraph.vote v where v.tenant = a.tenant and v.approval = a.id) as votes,
              (select e.data->'steps' from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'asked' and (e.data->>'round')::int = a.round) as steps,
              ${headlineSql} as headline,
              ${questionColumns}
       from page
         left join (select expires_at, id from looked order by expires_at, id offset ${maxScannedRounds - 1}) last on true
         ${joinApproval("page.id")}
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
      ],
    ),
  );
  const last = rows.at(-1);
  const full = rows.length === limit && last && { expiresAt: last.expires_at.getTime(), approval: last.id };
  const further =
    last?.last_at && last.last_id !== null
      ? { expiresAt: last.last_at.getTime(), approval: last.last_id }
      : undefined;
  const next = full || further;
  return { rows: rows.map(toInboxItem), ...(next && { next }) };
}

function toInboxItem(row: InboxRow) {
  return {
    approval: row.id,
    ...readHeadline(row),
    capability: row.capability,
    votes: row.votes,
    expiresAt: row.expires_at.getTime(),
    ...toReaderQuestion(row),
    ...(row.flood !== null && { flood: row.flood }),
    ...(row.steps && { steps: row.steps }),
  };
}

interface InboxRow extends QuestionRow {
  id: string;
  headline: string | null;
  expires_at: Date;
  capability: string;
  flood: number | null;
  steps: Readonly<Partial<Record<Risk, number>>> | null;
  last_at: Date | null;
  last_id: string | null;
  votes: number;
}
