import { type OutcomeKind, type Principal, seesEverything } from "@paraph/core";
import type { Pool } from "pg";
import { type Query, withTenant } from "../database.ts";

interface StatisticsFilter {
  readonly capability?: string;
  readonly principal?: string;
  /** The start of the period (default: 7 days ago, at most 30 days ago). */
  readonly since?: number;
  readonly by: "capability" | "principal" | "both" | "hour";
  readonly limit: number;
}

const maxErrors = 10;

/**
 * Returns how calls ended in the period, grouped by capability, principal, both, or the hour in which they ended. The
 * group with the most calls comes first, and hours come in order, the latest first. The function reads the small `outcome` row that each closed call leaves. A reader who may not see the whole
 * tenant gets only their own calls.
 */
export async function loadCallStatistics(app: Pool, reader: Principal, filter: StatisticsFilter) {
  const { tenant } = reader;
  const own = seesEverything(reader) ? null : reader.id;
  const { capability = null, principal = null } = filter;
  return withTenant(app, tenant, async (query) => {
    const [window] = await query<{ since: Date }>(sinceSql, [
      filter.since === undefined ? null : new Date(filter.since),
    ]);
    const since = window!.since;
    const values = [tenant, since, own, capability, principal];
    const counted = await query<CountRow>(selectFigures(filter.by), values);
    const failed = await query<ErrorRow>(errorsSql, values);
    return {
      since: since.getTime(),
      groups: groupFigures(counted).slice(0, filter.limit),
      errors: failed.map(({ at, ...rest }) => ({ ...rest, at: at.getTime() })),
    };
  });
}

/**
 * Returns how the tenant's calls ended since this time, by adapter. The `capability` of a group is the adapter's name,
 * with which the names of its capabilities begin.
 */
export async function summarizeByAdapter(query: Query, tenant: string, since: number) {
  const values = [tenant, new Date(since), null, null, null];
  return groupFigures(await query<CountRow>(selectFigures("adapter"), values));
}

const sinceSql = `select greatest(coalesce($1, paraph.now() - interval '7 days'), paraph.now() - interval '30 days') as since`;

const filterCondition = `tenant = $1 and at >= $2 and ($3::text is null or principal = $3) and ($4::text is null or capability = $4)
  and ($5::text is null or principal = $5)`;

const errorsSql = `select call, capability, principal, kind as outcome, code, at from paraph.outcome
  where ${filterCondition} and kind in ('failed', 'unknown') order by at desc limit ${maxErrors}`;

/**
 * The scale of the buckets in which durations are counted. Each bucket is 6 % longer than the previous one. With
 * buckets, the query needs no sort and no list of durations, however many calls there are.
 */
const bucketScale = 16;
const bucketSql = `(ln(acting_ms + 1) * ${bucketScale})::int`;

const groupColumns = {
  capability: ["capability", "null", "null"],
  principal: ["null", "principal", "null"],
  both: ["capability", "principal", "null"],
  hour: ["null", "null", "date_trunc('hour', at, 'UTC')"],
  adapter: ["split_part(capability, '.', 1)", "null", "null"],
} as const satisfies Record<StatisticsFilter["by"] | "adapter", readonly [string, string, string]>;

function selectFigures(by: keyof typeof groupColumns): string {
  const [capability, principal, hour] = groupColumns[by];
  return `select ${capability} as capability, ${principal} as principal, ${hour}::timestamptz as hour, kind, ${bucketSql} as bucket, count(*)::int as calls,
      sum(retries)::int as retries, sum(whole_ms)::float as "wholeMs", coalesce(sum(spent) filter (where spent <> 0), 0)::float as spent,
      sum(tokens_in)::float as "tokensIn", sum(tokens_out)::float as "tokensOut"
    from paraph.outcome where ${filterCondition} group by 1, 2, 3, 4, 5`;
}

/** Groups the counts, the latest hour or the group with the most calls first. */
function groupFigures(rows: readonly CountRow[]) {
  const groups = Map.groupBy(rows, ({ capability, principal, hour }) =>
    JSON.stringify([capability, principal, hour]),
  );
  return [...groups.values()]
    .map(toFigures)
    .sort((a, b) => (b.hour ?? 0) - (a.hour ?? 0) || b.calls - a.calls);
}

function toFigures(rows: readonly CountRow[]) {
  const { capability, principal, hour } = rows[0]!;
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
    ...(principal !== null && { principal }),
    ...(hour !== null && { hour: hour.getTime() }),
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

interface CountRow extends Record<SummedColumn, number> {
  capability: string | null;
  principal: string | null;
  hour: Date | null;
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
