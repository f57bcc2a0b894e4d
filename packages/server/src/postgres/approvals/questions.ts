import type { Guard, HeardQuestion, Principal } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import { joinApproval, joinCallSql } from "./approval-queries.ts";

/**
 * The columns of a question: the round `a`, its call `c` and its requester `p`. The first parameter is the tenant, the
 * second is the reader. [TRUST 33] Reassignments of people who are frozen or disabled now do not count.
 */
export const questionColumns = `a.guards, c.principal, c.on_behalf_of, p.owner,
              (select e.data->'editors' from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'accepted') as editors, c.edited_by,
              exists (select from paraph.vote v where v.tenant = a.tenant and v.approval = a.id and v.voter = $2) as voted,
              array(select e.data->>'group' from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'escalated' and (e.data->>'round')::int = a.round) as escalated_to,
              array(select jsonb_build_object('by', e.data->'by', 'to', e.data->'to', 'groups', coalesce(e.data->'groups', '[]'), 'inPlaceOf', coalesce(e.data->'inPlaceOf', '[]')) from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'reassigned' and (e.data->>'round')::int = a.round
                     and not exists (select from jsonb_array_elements_text(coalesce(e.data->'inPlaceOf', '[]') || (e.data->'by')) z where paraph.barred(e.tenant, z) is not null)) as reassignments,
              array(select distinct on (e.data->>'by') jsonb_build_object('by', e.data->'by', 'inPlaceOf', coalesce(e.data->'inPlaceOf', '[]')) from paraph.event e where e.tenant = a.tenant and e.call = a.call and e.kind = 'voted' and (e.data->>'round')::int = a.round order by e.data->>'by', e.seq desc) as represented,
              $2 in (c.principal, p.owner, c.on_behalf_of)
                and paraph.has_other_person(a.tenant, array_remove(array[c.principal, p.owner, c.on_behalf_of], null)) as own_call`;

export const joinRequesterSql = "join paraph.principal p on p.tenant = c.tenant and p.id = c.principal";

/** Loads the questions of these rounds for one reader, by the ids of the rounds. */
export async function listQuestions(app: Pool, reader: Principal, approvals: readonly string[]) {
  const rows = await withTenant(app, reader.tenant, (query) =>
    query<QuestionRow & { id: string }>(
      `select a.id, ${questionColumns}
       from unnest($3::text[]) as listed (id) ${joinApproval("listed.id")} ${joinCallSql} ${joinRequesterSql}`,
      [reader.tenant, reader.id, approvals],
    ),
  );
  return new Map(rows.map((row) => [row.id, toReaderQuestion(row)]));
}

/** Returns the question, whether the reader has voted, and whether it is about the reader's own call. */
export function toReaderQuestion(row: QuestionRow): {
  readonly question: HeardQuestion;
  readonly voted: boolean;
  readonly ownCall: boolean;
} {
  return {
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
    voted: row.voted,
    ownCall: row.own_call === true,
  };
}

export interface QuestionRow {
  guards: readonly Guard[];
  principal: string;
  owner: string | null;
  on_behalf_of: string | null;
  editors: string[] | null;
  edited_by: string | null;
  voted: boolean;
  escalated_to: string[];
  reassignments: { by: string; to: string; groups: string[]; inPlaceOf: string[] }[];
  represented: { by: string; inPlaceOf: string[] }[];
  own_call: boolean | null;
}
