import {
  CapabilityError,
  type JsonObject,
  type Observation,
  type ObservationPage,
  type ObserveContext,
  ParaphError,
} from "@paraph/core";
import { z } from "zod";
import { formatCursor, parseCursor } from "../observe-cursor.ts";
import { queryLimited } from "./connection/limited-query.ts";
import { withTransaction } from "./connection/transaction.ts";
import type { SqlContext } from "./context.ts";
import { createValueReader } from "./query.ts";
import { requireHarmless } from "./statement/functions.ts";
import { requireRead } from "./statement/refusals.ts";
import { parseStatement, refusedFault } from "./statement/statement.ts";

/** The schema of one watched query. */
export const watchConfig = z.strictObject({
  query: z.string().min(1).max(4_000).describe("a SELECT without parameters, without `order by` and `limit`"),
  cursor: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, "must be the name of a column of the query")
    .describe("a unique column of the query that only grows, such as an identity column"),
});

/** The maximum number of rows of one query per page. */
const batchSize = 200;

/** For each query, the highest value of its cursor column that was read, or null if there was no row. */
type KnownValues = Readonly<Record<string, string | null>>;

/**
 * Returns a function that reports the rows of the watched queries that are new since the cursor. The first poll of a
 * query only records its highest value. Every query runs read-only, under the same rules as a call of `query`.
 */
export function createRowObserver(
  sqlContext: SqlContext,
): (cursor: string | undefined, context: ObserveContext) => Promise<ObservationPage> {
  return async (cursor, context) => {
    const known = cursor === undefined ? {} : parseCursor<KnownValues>(cursor);
    const next: Record<string, string | null> = {};
    const observations: Observation[] = [];
    let more = false;
    for (const [name, watched] of Object.entries(sqlContext.watch)) {
      const last = known[name];
      if (last === undefined) {
        next[name] = await readHighest(sqlContext, watched, context);
        continue;
      }
      const page = await readNewRows(sqlContext, watched, last, context);
      observations.push(...page.rows.map(({ at, data }) => toObservation(name, at, data)));
      next[name] = page.rows.at(-1)?.at ?? last;
      more ||= page.more;
    }
    return { observations, cursor: formatCursor(next), more };
  };
}

/** Rejects a watched query that a call of `query` could not run either. */
export async function requireReadableQueries(watch: SqlContext["watch"], name: string): Promise<void> {
  for (const [each, { query }] of Object.entries(watch)) {
    try {
      requireRead(await parseStatement(query, 0));
    } catch (error) {
      if (!(error instanceof CapabilityError)) throw error;
      throw new ParaphError(
        "adapter-invalid",
        `\`${name}\`: \`watch.${each}\` is not valid. ${error.message}`,
      );
    }
  }
}

type Watched = z.output<typeof watchConfig>;

/** The column with the cursor's value as text. PostgreSQL compares it in its own type. */
const cursorAlias = "paraph_cursor";

function toObservation(name: string, at: string, data: JsonObject): Observation {
  return { id: `${name}:${at}`, kind: "row.added", subject: `${name}/${at}`, data };
}

async function readHighest(
  sqlContext: SqlContext,
  { query, cursor }: Watched,
  context: ObserveContext,
): Promise<string | null> {
  const sql = `select w."${cursor}"::text as ${cursorAlias} from (${query}\n) w where w."${cursor}" is not null order by w."${cursor}" desc limit 1`;
  const { rows } = await read(sqlContext, sql, [], context);
  return rows[0]?.[0] ?? null;
}

async function readNewRows(
  sqlContext: SqlContext,
  { query, cursor }: Watched,
  last: string | null,
  context: ObserveContext,
) {
  const condition = last === null ? `w."${cursor}" is not null` : `w."${cursor}" > $1`;
  const sql = `select w."${cursor}"::text as ${cursorAlias}, w.* from (${query}\n) w where ${condition} order by w."${cursor}" limit ${batchSize + 1}`;
  const { fields, rows, truncated } = await read(sqlContext, sql, last === null ? [] : [last], context);
  if (truncated && rows.length === 0)
    throw refusedFault("row-too-large", "A row of a watched query is too large. Select fewer columns.");
  const readValue = createValueReader(fields);
  const toData = (row: (typeof rows)[number]) =>
    Object.fromEntries(
      fields.map(({ name }, column) => [name, readValue(row[column] ?? null, column)] as const).slice(1),
    );
  const found = rows.slice(0, batchSize).map((row) => ({ at: row[0]!, data: toData(row) }));
  return { rows: found, more: truncated || rows.length > batchSize };
}

/** [P3] Runs a query that changes nothing, with the checks and limits of a call of `query`. */
async function read(
  { connections, readRole, lockTimeoutMs, timeoutMs, functions, maxBytes }: SqlContext,
  sql: string,
  values: readonly string[],
  context: ObserveContext,
) {
  const statement = await parseStatement(sql, values.length);
  requireRead(statement);
  const options = { access: "read only", end: "rollback", role: readRole, timeoutMs, lockTimeoutMs } as const;
  return withTransaction(connections, context, options, async (transaction) => {
    await requireHarmless(statement.text, functions, transaction);
    return queryLimited(
      transaction,
      { text: statement.text, values },
      { rows: batchSize + 1, bytes: maxBytes },
    );
  });
}
