import type { PayloadName } from "@paraph/core";
import { type OwnerSession, withOwnerSession } from "./owner-session.ts";

/** The content to erase: of one call and its steps, or of every call that contains a text. */
export interface ErasureScope {
  readonly ownerUrl: string;
  readonly tenant: string;
  /** The id of a call, or a text to search for. Paraph ignores the case of letters. */
  readonly of: { readonly call: string } | { readonly subject: string };
}

/**
 * Whether a call can be erased: `ready`, `open` if the call or its plan is open, `unresolved` if its outcome is unknown,
 * or `erased` if nothing is left to erase.
 */
export type ErasureState = "ready" | "open" | "unresolved" | "erased";

/** A call whose content an erasure concerns. */
export interface ErasableCall {
  readonly call: string;
  readonly capability: string;
  readonly state: ErasureState;
  readonly payloads: readonly PayloadName[];
  readonly messages: number;
}

/** Everything that an erasure concerns. */
export interface ErasurePlan {
  readonly calls: readonly ErasableCall[];
  /** The calls that share content with an erased call but are not erased with it: its plan, its edits and its undos. */
  readonly related: readonly string[];
  /** The number of observations that contain the text. They are erased too. */
  readonly observations: number;
  /** The number of rows that contain the text and stay, by place. */
  readonly kept: Readonly<Partial<Record<KeptPlace, number>>>;
}

/** A place that an erasure does not change. */
export type KeptPlace = "call" | "event" | "grant" | "principal";

/** Finds what an erasure would remove and what it would leave. It changes nothing. */
export async function planErasure(scope: ErasureScope): Promise<ErasurePlan> {
  return withOwnerSession(scope, async (session) => {
    const { of } = scope;
    const ids =
      "call" in of ? await listWithSteps(session, of.call) : await findMentions(session, of.subject);
    const calls = await describeCalls(session, ids);
    const related = "call" in of ? await listRelated(session, ids) : [];
    if ("call" in of) return { calls, related, observations: 0, kept: {} };
    return {
      calls,
      related,
      observations: await countObservations(session, of.subject),
      kept: await countKept(session, of.subject),
    };
  });
}

/** Erases the content of these calls, one transaction each. A repeated run continues after a crash. */
export async function eraseCalls(
  scope: ErasureScope,
  { calls, reason }: { readonly calls: readonly string[]; readonly reason: string },
): Promise<readonly string[]> {
  return withOwnerSession(scope, async (session) => {
    const erased: string[] = [];
    for (const call of calls) {
      const [row] = await session.query<{ it: { kind: string | null } }>(
        "select paraph.erase($1, $2, $3) as it",
        [session.tenant, call, reason],
      );
      if (row?.it.kind === "done") erased.push(call);
    }
    if ("subject" in scope.of)
      await session.query(`delete from paraph.observation where ${observationSql}`, [
        session.tenant,
        ...toNeedles(scope.of.subject),
      ]);
    return erased;
  });
}

async function listWithSteps({ tenant, query }: OwnerSession, call: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    `with recursive tree (id) as (
       select c.id from paraph.call c where c.tenant = $1 and c.id = $2
       union select k.id from tree join paraph.call k on k.tenant = $1 and k.parent = tree.id)
     select id from tree order by id`,
    [tenant, call],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the text as it would appear inside a JSON string and in plain text, both in lower case. Payloads are stored
 * as JSON.
 */
function toNeedles(subject: string): [string, string] {
  return [JSON.stringify(subject).slice(1, -1), subject];
}

const inJson = (column: string) => `position(lower($2) in lower(${column})) > 0`;
const inText = (column: string) => `position(lower($3) in lower(coalesce(${column}, ''))) > 0`;
const observationSql = `tenant = $1 and (${inJson("coalesce(body, '')")} or ${inText("subject")})`;

async function findMentions({ tenant, query }: OwnerSession, subject: string): Promise<string[]> {
  const rows = await query<{ call: string }>(
    `select call from paraph.payload where tenant = $1 and ${inJson("body")}
     union select call from paraph.message where tenant = $1 and body is not null and ${inJson("body")}
     order by 1`,
    [tenant, JSON.stringify(subject).slice(1, -1)],
  );
  return rows.map(({ call }) => call);
}

async function describeCalls(
  { tenant, query }: OwnerSession,
  calls: readonly string[],
): Promise<ErasableCall[]> {
  return query<ErasableCall>(
    `select c.id as call, c.capability, paraph.erasable(c.tenant, c.id) as state,
            array(select distinct y.name from paraph.payload y where y.tenant = c.tenant and y.call = c.id order by 1) as payloads,
            (select count(*)::int from paraph.message m where m.tenant = c.tenant and m.call = c.id and m.body is not null) as messages
     from paraph.call c where c.tenant = $1 and c.id = any ($2) order by c.id`,
    [tenant, calls],
  );
}

/** Lists the calls that a call was a step of, replaced, was replaced by, undid or was undone by. */
async function listRelated({ tenant, query }: OwnerSession, calls: readonly string[]): Promise<string[]> {
  const rows = await query<{ call: string }>(
    `select distinct r.call from (
       select unnest(array[c.parent, c.supersedes]) as call from paraph.call c where c.tenant = $1 and c.id = any ($2)
       union all select c.id from paraph.call c where c.tenant = $1 and c.supersedes = any ($2)
       union all select e.data->>'undoes' from paraph.event e where e.tenant = $1 and e.call = any ($2) and e.kind = 'accepted'
       union all select e.call from paraph.event e where e.tenant = $1 and e.kind = 'accepted' and e.data ? 'undoes' and e.data->>'undoes' = any ($2)
     ) r where r.call is not null and r.call <> all ($2) and paraph.erasable($1, r.call) <> 'erased' order by 1`,
    [tenant, calls],
  );
  return rows.map(({ call }) => call);
}

async function countObservations({ tenant, query }: OwnerSession, subject: string): Promise<number> {
  const sql = `select count(*)::int as rows from paraph.observation where ${observationSql}`;
  const [found] = await query<{ rows: number }>(sql, [tenant, ...toNeedles(subject)]);
  return found?.rows ?? 0;
}

/** Counts the rows that name the subject and must stay, because records and rights depend on them. */
async function countKept({ tenant, query }: OwnerSession, subject: string): Promise<ErasurePlan["kept"]> {
  const rows = await query<{ place: KeptPlace; rows: number }>(
    `select place, count(*)::int as rows from (
       select 'call' as place from paraph.call where tenant = $1
         and (${inText("key")} or ${inText("session")} or ${inText("thread")} or ${inText("step")})
       union all select 'event' from paraph.event where tenant = $1 and ${inJson("data::text")}
       union all select 'grant' from paraph.standing_grant where tenant = $1 and ${inJson("bounds")}
       union all select 'principal' from paraph.principal where tenant = $1 and ${inText("id")}
     ) x group by place order by place`,
    [tenant, ...toNeedles(subject)],
  );
  return Object.fromEntries(rows.map(({ place, rows }) => [place, rows]));
}
