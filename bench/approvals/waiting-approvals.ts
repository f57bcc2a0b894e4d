import { createRestateEngine } from "../../packages/server/src/engine/restate/index.ts";
import { type ApprovalRequest, requestApprovals } from "./approval-requests.ts";
import { agentIds, approvalsTenant, type DecisionCluster, flooderIds } from "./cluster.ts";
import { topicCapabilities } from "./config.ts";

/** The shapes of a person's inbox, all in one tenant. No shape may cost more than another. */
type InboxShape = "apart" | "few-floods" | "many-floods";

/**
 * Picks the shape of an approval by its age. The older ones alternate between single requests and large floods, and the
 * newest quarter are many small floods.
 */
const pickShape = (place: number, of: number): InboxShape =>
  place >= of * 0.75 ? "many-floods" : place % 2 === 0 ? "apart" : "few-floods";

function buildRequest(place: number, shape: InboxShape): ApprovalRequest {
  const of = <T>(items: readonly T[], index: number) => items[index % items.length] as T;
  if (shape === "few-floods")
    return { agent: of(flooderIds, place >> 1), capability: of(topicCapabilities, 0) };
  if (shape === "many-floods") return { agent: of(agentIds, place), capability: of(topicCapabilities, 1) };
  const turn = place >> 1;
  return { agent: of(agentIds, turn), capability: of(topicCapabilities, Math.floor(turn / agentIds.length)) };
}

/**
 * Creates waiting approvals. An agent requests one approval of each kind through the API. For the others, the database
 * copies the rows of these approvals under new ids. Restate gets the messages that Paraph would have sent.
 */
export async function createWaitingApprovals(
  cluster: DecisionCluster,
  { rounds, messages }: { readonly rounds: number; readonly messages: number },
): Promise<void> {
  const places = Array.from({ length: rounds }, (_, place) => buildRequest(place, pickShape(place, rounds)));
  const kinds = new Map(places.map((question) => [`${question.agent}/${question.capability}`, question]));
  const originals = await requestApprovals(cluster, [...kinds.values()]);
  const order = [...kinds.keys()];
  const copies = places.slice(originals.length);
  await cluster.query("create temporary table kind (n int, call text, approval text)");
  await cluster.query("insert into kind select * from unnest($1::int[], $2::text[], $3::text[])", [
    [...originals.keys()],
    originals.map(({ call }) => call),
    originals.map(({ approval }) => approval),
  ]);
  await cluster.query(
    `create temporary table copy as
     select place, kind.call as of, kind.approval as of_approval, 'call_00' || id as call, 'ask_00' || id as approval
     from unnest($1::int[]) with ordinality as x (n, place) join kind using (n)
     -- The number of calls keeps these ids apart from those of an earlier run in the same database.
     cross join lateral (select lpad((place + (select count(*) from paraph.call))::text, 24, '0') as id) ids`,
    [copies.map(({ agent, capability }) => order.indexOf(`${agent}/${capability}`))],
  );
  for (const text of copyStatements) await cluster.query(text);
  await sendMessages(cluster, messages - originals.length);
  await cluster.query("drop table kind, copy");
}

/** Copy every column unchanged, except for ids and for times that depend on the request. */
const copyStatements = [
  `insert into paraph.call
   select r.*
   from copy join paraph.call c on c.tenant = '${approvalsTenant}' and c.id = copy.of
   cross join lateral jsonb_populate_record(c, jsonb_build_object('id', copy.call, 'key', copy.call, 'next_at', c.next_at + copy.place * interval '1 ms')) r`,
  `insert into paraph.event_row
   select r.*
   from copy join paraph.event_row e on e.tenant = '${approvalsTenant}' and e.call = copy.of
   cross join lateral jsonb_populate_record(e, jsonb_build_object('call', copy.call, 'data', replace(e.data::text, copy.of_approval, copy.approval)::jsonb)) r`,
  `insert into paraph.payload
   select r.*
   from copy join paraph.payload p on p.tenant = '${approvalsTenant}' and p.call = copy.of
   cross join lateral jsonb_populate_record(p, jsonb_build_object('call', copy.call)) r`,
  `insert into paraph.approval
   select r.*
   from copy join paraph.approval a on a.tenant = '${approvalsTenant}' and a.id = copy.of_approval
   cross join lateral jsonb_populate_record(a, jsonb_build_object('id', copy.approval, 'call', copy.call, 'expires_at', a.expires_at + copy.place * interval '1 ms')) r`,
  // Autovacuum would do this within a minute. The benchmark does not wait for it.
  "vacuum analyze",
];

/** Sends the messages that Restate needs. With PostgreSQL as the engine, the due times in the rows are enough. */
async function sendMessages({ restate, query }: DecisionCluster, count: number): Promise<void> {
  if (!restate) return;
  const engine = createRestateEngine(restate.ingressUrl, Date.now);
  const waiting = await query<{ call: string; epoch: number; at: Date }>(
    "select c.id as call, c.epoch::int as epoch, c.next_at as at from copy join paraph.call c on c.id = copy.call limit $1",
    [count],
  );
  const left = waiting.values();
  const one = async () => {
    for (const { call, epoch, at } of left)
      await engine.send({ tenant: approvalsTenant, call, epoch, at: at.getTime() });
  };
  await Promise.all(Array.from({ length: 64 }, one));
  await engine.close();
}
