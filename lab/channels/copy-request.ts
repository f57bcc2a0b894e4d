import type { StartedCall } from "../crash-points/scenario-run.ts";
import type { LabCluster } from "../lab-cluster.ts";

/**
 * Writes `count` more requests, as copies of the rows of these calls under new ids. The triggers of the database mark
 * their events for the channels, as for every call.
 */
export async function copyRequest(
  cluster: LabCluster,
  originals: readonly StartedCall[],
  count: number,
): Promise<void> {
  const ids = originals.map(({ call }) => call);
  await cluster.query(
    `create table public.copy as
     select a.call as of, a.id as of_approval, 'call_zz' || lpad(n::text, 24, '0') as call, 'ask_zz' || lpad(n::text, 24, '0') as approval
     from generate_series(1, $2::int) n
     join unnest($1::text[]) with ordinality as o (call, place) on o.place = 1 + n % cardinality($1::text[])
     join paraph.approval a on a.call = o.call`,
    [ids, count],
  );
  for (const text of copyStatements) await cluster.query(text);
}

/** Copies every column unchanged, except for ids. The events come last, because they make the calls due. */
const copyStatements = [
  `insert into paraph.call
   select r.* from public.copy join paraph.call c on c.id = copy.of
   cross join lateral jsonb_populate_record(c, jsonb_build_object('id', copy.call, 'key', copy.call, 'created_at', paraph.now(), 'next_at', paraph.now() + interval '1 hour')) r`,
  `insert into paraph.payload
   select r.* from public.copy join paraph.payload p on p.call = copy.of
   cross join lateral jsonb_populate_record(p, jsonb_build_object('call', copy.call)) r`,
  `insert into paraph.approval
   select r.* from public.copy join paraph.approval a on a.id = copy.of_approval
   cross join lateral jsonb_populate_record(a, jsonb_build_object('id', copy.approval, 'call', copy.call)) r`,
  `insert into paraph.event_row
   select r.* from public.copy join paraph.event_row e on e.call = copy.of
   cross join lateral jsonb_populate_record(e, jsonb_build_object('call', copy.call, 'data', replace(e.data::text, copy.of_approval, copy.approval)::jsonb)) r`,
];
