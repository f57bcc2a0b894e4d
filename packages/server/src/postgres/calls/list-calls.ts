import { type Finding, type OutcomeKind, type Principal, seesEverything } from "@paraph/core";
import type { Pool } from "pg";
import { type Query, withTenant } from "../database.ts";
import { freezeIdsSql, isHoldableSql } from "../policy/held-calls.ts";
import { headlineSql, readHeadline } from "./headline.ts";

interface CallListFilter {
  readonly state?: "open" | "closed";
  readonly capability?: string;
  readonly principal?: string;
  readonly session?: string;
  readonly thread?: string;
  /** The trace id of the requests. */
  readonly correlation?: string;
  /** Whether to list only calls with a state of their agent. */
  readonly hasState?: boolean;
  readonly outcome?: OutcomeKind;
  readonly resolved?: boolean;
  readonly stuck?: boolean;
  /** The id of a freeze in force. Only open calls that it holds are listed. */
  readonly heldBy?: string;
  readonly steps?: boolean;
  /** The start and the end of the time in which the calls were created. */
  readonly since?: number;
  readonly until?: number;
  /** Text to search for. */
  readonly search?: CallSearch;
  readonly before?: string;
  /** `closed`: the calls that closed last come first. Such a list is one page of at most 100 calls. */
  readonly order?: "created" | "closed";
  readonly limit: number;
}

/** A search for calls. */
interface CallSearch {
  /** The id or the idempotency key of a call, the id of one of its approvals, or a part of a headline, of the name of a capability or of the id of a requester. */
  readonly text: string;
  /** The capabilities whose own description contains the text. It is the headline of a call without a recorded one. */
  readonly capabilities: readonly string[];
}

/** The maximum number of calls that one page scans. It bounds the cost of a page if only few of them match. */
const maxScannedCalls = 5_000;

/**
 * Lists calls for people and agents, newest first. The list is sorted by id, because ids are ordered by time. A page
 * can have fewer calls than `limit`, although there are more. `next` is the call after which the next page starts. If the
 * search text is the id or the key of calls or the id of an approval, the list has only these calls.
 */
export async function listCalls(app: Pool, principal: Principal, filter: CallListFilter) {
  const { tenant } = principal;
  const owner = seesEverything(principal) ? filter.principal : principal.id;
  if (filter.principal !== undefined && filter.principal !== owner) return { calls: [] };
  return withTenant(app, tenant, async (query) => {
    const isByClosing = filter.order === "closed";
    const exact = isByClosing
      ? await findLastClosed(query, tenant, owner)
      : filter.search && (await findExact(query, tenant, filter.search.text));
    const isExact = isByClosing || (exact !== undefined && exact.length > 0);
    const scan = toScanValues(tenant, owner, filter, isExact ? (exact ?? []) : null);
    const scanSql = selectScanned(chooseIndex(filter, owner, isExact));
    const rows = await query<CallListRow>(selectPage(`${scanSql} limit ${maxScannedCalls}`), [
      ...scan,
      filter.state ?? null,
      filter.stuck ?? false,
      filter.steps ?? true,
      filter.resolved ?? null,
      isByClosing ? maxExact : filter.limit,
      filter.since === undefined ? null : new Date(filter.since),
      filter.until === undefined ? null : new Date(filter.until),
      isExact || !filter.search ? null : toSearchedJson(filter.search.text),
      filter.search?.capabilities ?? [],
      filter.hasState ?? false,
      filter.heldBy ?? null,
    ]);
    if (isByClosing) {
      const places = new Map(exact?.map((id, place) => [id, place]));
      const byClosing = rows.toSorted((a, b) => places.get(a.id)! - places.get(b.id)!);
      return { calls: byClosing.slice(0, filter.limit).map(toCallSummary) };
    }
    const [last] =
      rows.length === filter.limit
        ? rows.slice(-1)
        : await query<{ id: string }>(
            `select id from (${scanSql} offset ${maxScannedCalls - 1} limit 1) c where ${bindAllSql}`,
            scan,
          );
    return { calls: rows.map(toCallSummary), ...(last && { next: last.id }) };
  });
}

const maxExact = 100;

/**
 * Returns the ids of the calls with this id, this idempotency key or an approval with this id. Keys are unique only for
 * each principal.
 */
async function findExact(query: Query, tenant: string, text: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    `select id from paraph.call where tenant = $1 and id = $2
     union select call from paraph.approval where tenant = $1 and id = $2
     union select k.id from paraph.principal p join paraph.call k on k.tenant = p.tenant and k.principal = p.id and k.key = $2
       where p.tenant = $1 limit ${maxExact}`,
    [tenant, text],
  );
  return rows.map(({ id }) => id);
}

/** Returns the ids of the calls that closed last. Each closed call leaves one row with the time. */
async function findLastClosed(query: Query, tenant: string, owner: string | undefined): Promise<string[]> {
  const rows = await query<{ call: string }>(
    `select call from paraph.outcome where tenant = $1 and ($2::text is null or principal = $2) order by at desc limit ${maxExact}`,
    [tenant, owner ?? null],
  );
  return rows.map(({ call }) => call);
}

/** Headlines are stored as JSON, so the search compares the text as it is written in JSON. */
function toSearchedJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * The tolerance for the difference between the clock in ids, which is that of a process, and the time of creation, which
 * is that of PostgreSQL.
 */
const clockToleranceMs = 3_600_000;

/** Returns the parameters of the scan. The times become bounds of ids, so that the scan begins and ends there. */
function toScanValues(
  tenant: string,
  owner: string | undefined,
  { before, capability, correlation, outcome, session, since, thread, until }: CallListFilter,
  exact: readonly string[] | null,
) {
  return [
    tenant,
    before ?? null,
    owner ?? null,
    capability ?? null,
    outcome ?? null,
    session ?? null,
    since === undefined ? null : toFirstId(since - clockToleranceMs),
    until === undefined ? null : toFirstId(until + clockToleranceMs),
    exact,
    thread ?? null,
    correlation ?? null,
  ];
}

/** Returns the lowest id that a call of this time can have. An id begins with 48 bits of milliseconds in base 32. */
function toFirstId(at: number): string {
  const digits = Math.max(0, at).toString(32).padStart(10, "0");
  return `call_${Array.from(digits, (digit) => idAlphabet[Number.parseInt(digit, 32)]).join("")}`;
}

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * The conditions of the indexes over calls. An index that holds few calls comes first. The text must equal the
 * condition of the index. Otherwise PostgreSQL does not use the index.
 */
const indexConditions = {
  exact: "id = any($9)",
  call_stuck: "stuck is not null",
  call_of_correlation: "correlation = $11",
  call_of_thread: "thread = $10",
  call_of_session: "session = $6",
  call_of_outcome: "outcome <> 'succeeded' and outcome = $5",
  call_open: "state <> 'closed'",
  call_of_principal: "principal = $3",
  call_of_capability: "capability = $4",
  call_pkey: "true",
};

function chooseIndex(
  filter: CallListFilter,
  owner: string | undefined,
  isExact: boolean,
): keyof typeof indexConditions {
  if (isExact) return "exact";
  if (filter.stuck) return "call_stuck";
  if (filter.correlation !== undefined) return "call_of_correlation";
  if (filter.thread !== undefined) return "call_of_thread";
  if (filter.session !== undefined) return "call_of_session";
  if (filter.outcome !== undefined && filter.outcome !== "succeeded") return "call_of_outcome";
  if (filter.state === "open" || filter.heldBy !== undefined) return "call_open";
  if (owner !== undefined) return "call_of_principal";
  return filter.capability === undefined ? "call_pkey" : "call_of_capability";
}

/** PostgreSQL must know the type of every parameter, also of those that an index does not need. */
const bindAllSql = `($3::text is null or true) and ($4::text is null or true) and ($5::text is null or true)
  and ($6::text is null or true) and ($9::text[] is null or true) and ($10::text is null or true) and ($11::text is null or true)`;

/** Selects the newest calls of one index, so that PostgreSQL scans nothing else. */
function selectScanned(index: keyof typeof indexConditions): string {
  return `select * from paraph.call where tenant = $1 and ($2::text is null or id < $2) and ($7::text is null or id >= $7)
    and ($8::text is null or id < $8) and ${indexConditions[index]} order by id desc`;
}

/**
 * Selects the page from the scanned calls. Its subqueries keep the order of the calls, so that PostgreSQL stops when the
 * page is full. A call ends at the time of its event, as in its receipt. The column `closed_at` is later, because it is
 * the time of the commit.
 */
function selectPage(scanned: string): string {
  const finding = "(select r.finding from paraph.resolution r where r.tenant = c.tenant and r.call = c.id)";
  const contains = (text: string) => `position(lower($19) in lower(${text})) > 0`;
  return `select c.id, c.capability, c.version, c.principal, c.state, c.outcome, c.outcome_code, c.created_at, c.parent, c.step, c.stuck,
      (select e.at from paraph.event e where e.tenant = c.tenant and e.call = c.id and e.kind = 'closed' and c.state = 'closed'
        order by e.seq desc limit 1) as closed_at,
      ${finding} as finding, ${headlineSql} as headline,
      (select json_build_object('call', u.by, 'outcome', w.outcome) from paraph.undo_claim u join paraph.call w on w.tenant = u.tenant and w.id = u.by
        where u.tenant = c.tenant and u.call = c.id and not paraph.undid_nothing(u.tenant, u.by)) as undo
    from (${scanned}) c
    where ($3::text is null or c.principal = $3) and ($4::text is null or c.capability = $4) and ($5::text is null or c.outcome = $5)
      and ($6::text is null or c.session = $6) and ($10::text is null or c.thread = $10)
      and ($11::text is null or c.correlation = $11) and ($9::text[] is null or c.id = any($9))
      and ($12::text is null or (c.state = 'closed') = ($12 = 'closed')) and (not $13 or c.stuck is not null) and ($14 or c.parent is null)
      and ($15::boolean is null or (${finding} is not null) = $15)
      and ($17::timestamptz is null or c.created_at >= $17) and ($18::timestamptz is null or c.created_at < $18)
      and ($19::text is null or ${contains("c.capability")} or ${contains("c.principal")} or ${contains("c.on_behalf_of")} or coalesce(${contains(headlineSql)}, c.capability = any($20)))
      and (not $21 or exists (select from paraph.payload y where y.tenant = c.tenant and y.call = c.id and y.name = 'compressedState'))
      and ($22::text is null or (${isHoldableSql} and $22 = any(${freezeIdsSql})))
    order by c.id desc limit $16`;
}

function toCallSummary(row: CallListRow) {
  return {
    call: row.id,
    ...readHeadline(row),
    capability: row.capability,
    version: row.version,
    principal: row.principal,
    state: row.state,
    ...(row.outcome !== null && { outcome: { kind: row.outcome, code: row.outcome_code } }),
    createdAt: row.created_at.getTime(),
    ...(row.closed_at && { closedAt: row.closed_at.getTime() }),
    ...(row.finding !== null && { finding: row.finding }),
    ...(row.undo && { undoneBy: row.undo.call, ...(row.undo.outcome && { undoOutcome: row.undo.outcome }) }),
    ...(row.stuck !== null && { stuck: row.stuck }),
    ...(row.parent !== null && { parent: { call: row.parent, step: row.step } }),
  };
}

interface CallListRow {
  id: string;
  headline: string | null;
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
  undo: { readonly call: string; readonly outcome: OutcomeKind | null } | null;
  stuck: string | null;
}
