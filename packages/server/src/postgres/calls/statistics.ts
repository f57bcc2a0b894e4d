import { type OutcomeKind, type Principal, seesEverything } from "@paraph/core";
import type { Pool } from "pg";
import { type Query, withTenant } from "../database.ts";

interface StatisticsFilter {
  readonly capability?: string;
  readonly principal?: string;
  /** The start of the period (default: 7 days ago, at most 30 days ago). */
  readonly since?: number;
  readonly by: "capability" | "adapter" | "principal" | "both" | "hour" | "day";
  /** Only calls of this session of an agent. */
  readonly session?: string;
  readonly limit: number;
}

const maxErrors = 10;
/** The maximum number of codes that a group lists. */
const maxCodes = 5;

/**
 * Returns how calls ended in the period, grouped by capability, principal, both, or the hour or day in which they ended.
 * The group with the most calls comes first, and hours and days come in order, the latest first. The function reads the
 * small `outcome` row that each closed call leaves. A reader who may not see the whole tenant gets only their own calls.
 */
export async function loadCallStatistics(app: Pool, reader: Principal, filter: StatisticsFilter) {
  const { tenant } = reader;
  const own = seesEverything(reader) ? null : reader.id;
  const { capability = null, principal = null, session = null } = filter;
  return withTenant(app, tenant, async (query) => {
    const [window] = await query<{ since: Date }>(sinceSql, [
      filter.since === undefined ? null : new Date(filter.since),
    ]);
    const since = window!.since;
    const values = [tenant, since, own, capability, principal, session];
    const counted = await query<CountRow>(selectFigures(filter.by), values);
    const codes = await query<CodeRow>(selectCodes(filter.by), values);
    const failed = await query<ErrorRow>(errorsSql, values);
    return {
      since: since.getTime(),
      groups: groupFigures(counted, codes).slice(0, filter.limit),
      errors: failed.map(({ at, ...rest }) => ({ ...rest, at: at.getTime() })),
    };
  });
}

/**
 * Returns how the tenant's calls ended since this time, by adapter. The names of an adapter's capabilities begin with
 * the adapter's name.
 */
export async function summarizeByAdapter(query: Query, tenant: string, since: number) {
  const values = [tenant, new Date(since), null, null, null, null];
  return groupFigures(await query<CountRow>(selectFigures("adapter"), values));
}

const sinceSql = `select greatest(coalesce($1, paraph.now() - interval '7 days'), paraph.now() - interval '30 days') as since`;

const filterCondition = `tenant = $1 and at >= $2 and ($3::text is null or principal = $3) and ($4::text is null or capability = $4)
  and ($5::text is null or principal = $5)
  and ($6::text is null or call in (select c.id from paraph.call c where c.tenant = $1 and c.session = $6))`;

const errorsSql = `select call, capability, principal, kind as outcome, code, at from paraph.outcome
  where ${filterCondition} and kind in ('failed', 'unknown') order by at desc limit ${maxErrors}`;

/**
 * The scale of the buckets in which durations are counted. Each bucket is 6 % longer than the previous one. With
 * buckets, the query needs no sort and no list of durations, however many calls there are.
 */
const bucketScale = 16;
const bucketSql = `(ln(acting_ms + 1) * ${bucketScale})::int`;

const groupColumns: Readonly<
  Record<
    StatisticsFilter["by"],
    Partial<Record<"capability" | "adapter" | "principal" | "hour" | "day", string>>
  >
> = {
  capability: { capability: "capability" },
  adapter: { adapter: "split_part(capability, '.', 1)" },
  principal: { principal: "principal" },
  both: { capability: "capability", principal: "principal" },
  hour: { hour: "date_trunc('hour', at, 'UTC')" },
  day: { day: "date_trunc('day', at, 'UTC')" },
};

function selectGroup(by: StatisticsFilter["by"]): string {
  const { capability, adapter, principal, hour, day } = { ...groupColumns[by] };
  return `${capability ?? "null"} as capability, ${adapter ?? "null"} as adapter, ${principal ?? "null"} as principal, ${hour ?? "null"}::timestamptz as hour, ${day ?? "null"}::timestamptz as day`;
}

function selectFigures(by: StatisticsFilter["by"]): string {
  return `select ${selectGroup(by)}, kind, ${bucketSql} as bucket, count(*)::int as calls,
      sum(retries)::int as retries, sum(whole_ms)::float as "wholeMs", coalesce(sum(spent) filter (where spent <> 0), 0)::float as spent,
      sum(tokens_in)::float as "tokensIn", sum(tokens_out)::float as "tokensOut"
    from paraph.outcome where ${filterCondition} group by 1, 2, 3, 4, 5, 6, 7`;
}

/** Selects why calls did not succeed, the most frequent reason of a group first. */
function selectCodes(by: StatisticsFilter["by"]): string {
  return `select ${selectGroup(by)}, kind, code, count(*)::int as calls, max(at) as at
    from paraph.outcome where ${filterCondition} and kind <> 'succeeded' group by 1, 2, 3, 4, 5, 6, 7 order by calls desc, at desc, code`;
}

/** Groups the counts, the latest hour or day, or the group with the most calls, first. */
function groupFigures(rows: readonly CountRow[], codes: readonly CodeRow[] = []) {
  const toKey = ({ capability, adapter, principal, hour, day }: GroupRow) =>
    JSON.stringify([capability, adapter, principal, hour, day]);
  const codesByGroup = Map.groupBy(codes, toKey);
  return [...Map.groupBy(rows, toKey)]
    .map(([key, of]) => ({ ...toFigures(of), codes: toCodes(codesByGroup.get(key)) }))
    .sort((a, b) => (b.hour ?? b.day ?? 0) - (a.hour ?? a.day ?? 0) || b.calls - a.calls);
}

function toCodes(rows: readonly CodeRow[] = []) {
  return rows
    .slice(0, maxCodes)
    .map(({ kind, code, calls, at }) => ({ outcome: kind, code, calls, lastAt: at.getTime() }));
}

function toFigures(rows: readonly CountRow[]) {
  const { capability, adapter, principal, hour, day } = rows[0]!;
  const total = (of: readonly CountRow[], what: SummedColumn) => of.reduce((sum, row) => sum + row[what], 0);
  const calls = total(rows, "calls");
  const outcomes = [...Map.groupBy(rows, ({ kind }) => kind)].map(
    ([kind, of]) => [kind, total(of, "calls")] as const,
  );
  // Leaves out calls that were never performed, because they do not show how reliably the capability works.
  const done = rows.filter(({ kind }) => kind === "succeeded" || kind === "failed" || kind === "unknown");
  const performed = total(done, "calls");
  const succeeded = outcomes.find(([kind]) => kind === "succeeded")?.[1] ?? 0;
  return {
    ...(capability !== null && { capability }),
    ...(adapter !== null && { adapter }),
    ...(principal !== null && { principal }),
    ...(hour !== null && { hour: hour.getTime() }),
    ...(day !== null && { day: day.getTime() }),
    calls,
    outcomes: Object.fromEntries(outcomes) as Partial<Record<OutcomeKind, number>>,
    ...(performed > 0 && {
      successRate: succeeded / performed,
      actingMs: { p50: findQuantile(done, performed * 0.5), p95: findQuantile(done, performed * 0.95) },
    }),
    meanMs: Math.round(total(rows, "wholeMs") / calls),
    retries: total(rows, "retries"),
    spent: total(rows, "spent"),
    tokens: { input: total(rows, "tokensIn"), output: total(rows, "tokensOut") },
  };
}

/** Returns the duration that `rank` calls did not exceed, rounded to the middle of its bucket. */
function findQuantile(rows: readonly CountRow[], rank: number): number {
  let seen = 0;
  for (const row of rows.toSorted((a, b) => a.bucket - b.bucket)) {
    seen += row.calls;
    if (seen >= rank) return Math.round(Math.exp(row.bucket / bucketScale) - 1);
  }
  return 0;
}

type SummedColumn = "calls" | "retries" | "wholeMs" | "spent" | "tokensIn" | "tokensOut";

interface GroupRow {
  capability: string | null;
  adapter: string | null;
  principal: string | null;
  hour: Date | null;
  day: Date | null;
}

interface CodeRow extends GroupRow {
  kind: OutcomeKind;
  code: string;
  calls: number;
  at: Date;
}

interface CountRow extends GroupRow, Record<SummedColumn, number> {
  kind: OutcomeKind;
  bucket: number;
}

interface ErrorRow {
  call: string;
  capability: string;
  principal: string;
  outcome: OutcomeKind;
  code: string;
  at: Date;
}
