import { linkTo, type RecordedEvent } from "@paraph/core";
import type { Client } from "pg";
import type { ReplayDifference } from "./replay-check.ts";

/**
 * [TRUST 20] Finds calls that are missing although other data refers to them. Such data is a row that belongs to the
 * missing call, a row or event of another call, or a link in an `accepted` event. `only` restricts the check to one
 * call. Calls in a verified archive are not missing.
 */
export async function findCallGaps(
  client: Client,
  tenant: string,
  only: string | undefined,
  archived: ReadonlySet<string>,
): Promise<ReplayDifference[]> {
  const named = await client.query<{ call: string; by: string | null }>(
    `select r.call, min(r.by) as by from (${referencesSql}) r
     where ($2::text is null or r.call = $2)
       and not exists (select from paraph.call c where c.tenant = $1 and c.id = r.call)
     group by r.call order by r.call`,
    [tenant, only ?? null],
  );
  const linked = await client.query<{ call: string; link: string }>(
    `select min(e.call) as call, l.link
     from paraph.event e cross join lateral jsonb_array_elements_text(e.data->'follows') as l (link)
     where e.tenant = $1 and e.kind = 'accepted' and $2::text is null
       and not exists (select from paraph.call c where c.tenant = $1 and left(paraph.text_digest(c.tenant || '/' || c.id), 16) = l.link)
     group by l.link order by 1, 2`,
    [tenant, only ?? null],
  );
  const missing = named.rows.filter(({ call }) => !archived.has(call));
  const known = new Set(
    [...missing.map(({ call }) => call), ...archived].map((call) => linkTo({ tenant, call })),
  );
  return [
    ...missing.map(({ call, by }) => toMissingCall(call, by === null ? "" : `named by ${by}`)),
    ...linked.rows
      .filter(({ link }) => !known.has(link))
      .map(({ call, link }) => toMissingCall(`sha256:${link}`, `linked by ${call}`)),
  ];
}

/**
 * The query that selects every reference to a call. `by` is the referring call if the reference comes from another
 * call.
 */
const referencesSql = `
  select call, null as by from paraph.event where tenant = $1
  union all select call, null from paraph.payload where tenant = $1
  union all select call, null from paraph.approval where tenant = $1
  union all select call, null from paraph.intent where tenant = $1
  union all select call, null from paraph.receipt where tenant = $1
  union all select call, null from paraph.resolution where tenant = $1
  union all select call, null from paraph.message where tenant = $1
  union all select parent, id from paraph.call where tenant = $1 and parent is not null
  union all select supersedes, id from paraph.call where tenant = $1 and supersedes is not null
  union all select n.call, e.call from paraph.event e
    cross join lateral (values (e.data->>'successor'), (e.data->>'undoes'),
      (case e.kind when 'approval-inherited' then e.data->>'by' when 'stepped' then e.data->>'call' end)) n (call)
    where e.tenant = $1 and e.kind in ('accepted', 'approval-inherited', 'stepped', 'closed') and n.call is not null`;

function toMissingCall(call: string, row: string): ReplayDifference {
  return { call, table: "call", row, told: "there", found: "missing" };
}

/** Finds the numbers that are missing in the sequence of a call's events. */
export function findEventGaps({
  call,
  events,
}: {
  readonly call: string;
  readonly events: readonly Pick<RecordedEvent, "seq">[];
}): ReplayDifference[] {
  const found = new Set(events.map(({ seq }) => seq));
  return Array.from({ length: Math.max(1, ...found) }, (_, index) => index + 1)
    .filter((seq) => !found.has(seq))
    .map((seq) => ({ call, table: "event", row: `number ${seq}`, told: "there", found: "missing" }));
}
