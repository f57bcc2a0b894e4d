import type { Guard, Principal, Risk } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import { joinApproval, joinCallSql, maxScannedRounds } from "./approval-queries.ts";

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
       select a.id, a.guards, a.expires_at, page.flood,
              last.expires_at as last_at, last.id as last_id,
              c.capability, c.principal, c.on_behalf_of, p.owner,
              (select e.data->'editors' from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.seq = 1) as editors, c.edited_by,
              (select count(*)::int from paraph.vote v where v.tenant = a.tenant and v.approval = a.id) as votes,
              exists (select from paraph.vote v where v.tenant = a.tenant and v.approval = a.id and v.voter = $2) as voted,
              array(select e.data->>'group' from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'escalated' and (e.data->>'round')::int = a.round) as escalated_to,
              array(select jsonb_build_object('by', e.data->'by', 'to', e.data->'to', 'groups', coalesce(e.data->'groups', '[]'), 'inPlaceOf', coalesce(e.data->'inPlaceOf', '[]')) from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'reassigned' and (e.data->>'round')::int = a.round) as reassignments,
              array(select distinct on (e.data->>'by') jsonb_build_object('by', e.data->'by', 'inPlaceOf', coalesce(e.data->'inPlaceOf', '[]')) from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'voted' and (e.data->>'round')::int = a.round order by e.data->>'by', e.seq desc) as represented,
              (select e.data->'steps' from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'asked' and (e.data->>'round')::int = a.round) as steps,
              $2 in (c.principal, p.owner, c.on_behalf_of)
                and paraph.has_other_person(a.tenant, array_remove(array[c.principal, p.owner, c.on_behalf_of], null)) as own_call
       from page
         left join (select expires_at, id from looked order by expires_at, id offset ${maxScannedRounds - 1}) last on true
         ${joinApproval("page.id")}
         ${joinCallSql}
         join paraph.principal p on p.tenant = c.tenant and p.id = c.principal
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
    capability: row.capability,
    question: {
      guards: row.guards,
      asker: {
        id: row.principal,
        ...(row.owner !== null && { owner: row.owner }),
        ...(row.on_behalf_of !== null && { onBehalfOf: row.on_behalf_of }),
      },
      // Older calls record only the last editor and no list of editors.
      editors: row.editors ?? (row.edited_by === null ? [] : [row.edited_by]),
      escalatedTo: row.escalated_to,
      reassignments: row.reassignments,
      represented: row.represented,
    },
    votes: row.votes,
    expiresAt: row.expires_at.getTime(),
    voted: row.voted,
    ownCall: row.own_call === true,
    ...(row.flood !== null && { flood: row.flood }),
    ...(row.steps && { steps: row.steps }),
  };
}

interface InboxRow {
  id: string;
  guards: readonly Guard[];
  expires_at: Date;
  capability: string;
  principal: string;
  owner: string | null;
  on_behalf_of: string | null;
  editors: string[] | null;
  edited_by: string | null;
  escalated_to: string[];
  reassignments: { by: string; to: string; groups: string[]; inPlaceOf: string[] }[];
  represented: { by: string; inPlaceOf: string[] }[];
  flood: number | null;
  steps: Readonly<Partial<Record<Risk, number>>> | null;
  last_at: Date | null;
  last_id: string | null;
  votes: number;
  voted: boolean;
  own_call: boolean | null;
}
