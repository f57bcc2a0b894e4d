import { type Finding, type OutcomeKind, type Principal, seesEverything } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import { headlineSql, readHeadline } from "./headline.ts";

interface CallListFilter {
  readonly state?: "open" | "closed";
  readonly capability?: string;
  readonly outcome?: OutcomeKind;
  readonly resolved?: boolean;
  readonly stuck?: boolean;
  readonly steps?: boolean;
  readonly before?: string;
  readonly limit: number;
}

/** The maximum number of calls that one page scans. It bounds the cost of a page if only few of them match. */
const maxScannedCalls = 5_000;

/**
 * Lists calls for people and agents, newest first. The list is sorted by id, because ids are ordered by time. A page
 * can have fewer calls than `limit`, although there are more. `next` is the call after which the next page starts.
 */
export async function listCalls(app: Pool, principal: Principal, filter: CallListFilter) {
  const { tenant } = principal;
  const owner = seesEverything(principal) ? null : principal.id;
  const scan = [tenant, filter.before ?? null, owner, filter.capability ?? null, filter.outcome ?? null];
  const scanSql = selectScanned(chooseIndex(filter, owner));
  return withTenant(app, tenant, async (query) => {
    const rows = await query<CallListRow>(selectPage(`${scanSql} limit ${maxScannedCalls}`), [
      ...scan,
      filter.state ?? null,
      filter.stuck ?? false,
      filter.steps ?? true,
      filter.resolved ?? null,
      filter.limit,
    ]);
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

/**
 * The conditions of the indexes over calls. An index that holds few calls comes first. The text must equal the
 * condition of the index. Otherwise PostgreSQL does not use the index.
 */
const indexConditions = {
  call_stuck: "stuck is not null",
  call_of_outcome: "outcome <> 'succeeded' and outcome = $5",
  call_open: "state <> 'closed'",
  call_of_principal: "principal = $3",
  call_of_capability: "capability = $4",
  call_pkey: "true",
};

function chooseIndex(filter: CallListFilter, owner: string | null): keyof typeof indexConditions {
  if (filter.stuck) return "call_stuck";
  if (filter.outcome !== undefined && filter.outcome !== "succeeded") return "call_of_outcome";
  if (filter.state === "open") return "call_open";
  if (owner !== null) return "call_of_principal";
  return filter.capability === undefined ? "call_pkey" : "call_of_capability";
}

/** PostgreSQL must know the type of every parameter, also of those that an index does not need. */
const bindAllSql = "($3::text is null or true) and ($4::text is null or true) and ($5::text is null or true)";

/** Selects the newest calls of one index, so that PostgreSQL scans nothing else. */
function selectScanned(index: keyof typeof indexConditions): string {
  return `select * from paraph.call where tenant = $1 and ($2::text is null or id < $2) and ${indexConditions[index]} order by id desc`;
}

/**
 * Selects the page from the scanned calls. Its subqueries keep the order of the calls, so that PostgreSQL stops when the
 * page is full. A call ends at the time of its event, as in its receipt. The column `closed_at` is later, because it is
 * the time of the commit.
 */
function selectPage(scanned: string): string {
  const finding = "(select r.finding from paraph.resolution r where r.tenant = c.tenant and r.call = c.id)";
  return `select c.id, c.capability, c.version, c.principal, c.state, c.outcome, c.outcome_code, c.created_at, c.parent, c.step, c.stuck,
      (select e.at from paraph.event e where e.tenant = c.tenant and e.call = c.id and e.kind = 'closed' and c.state = 'closed'
        order by e.seq desc limit 1) as closed_at,
      ${finding} as finding, ${headlineSql} as headline
    from (${scanned}) c
    where ($3::text is null or c.principal = $3) and ($4::text is null or c.capability = $4) and ($5::text is null or c.outcome = $5)
      and ($6::text is null or (c.state = 'closed') = ($6 = 'closed')) and (not $7 or c.stuck is not null) and ($8 or c.parent is null)
      and ($9::boolean is null or (${finding} is not null) = $9)
    order by c.id desc limit $10`;
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
  stuck: string | null;
}
