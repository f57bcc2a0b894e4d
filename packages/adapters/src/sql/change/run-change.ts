import type { Transaction } from "../connection/transaction.ts";
import type { Assignments } from "../statement/assignments.ts";
import { requireHarmless } from "../statement/functions.ts";
import type { SqlNode, SqlTree } from "../statement/sql-tree.ts";
import { isSameStatement, refusedFault, type SqlStatement } from "../statement/statement.ts";
import { createReportQuery, type ReportQuery } from "./report-query.ts";
import { readTarget, type Table } from "./table.ts";

/** The report about the rows that a statement changed. The query that runs the statement also returns the report. */
export interface RowChanges {
  readonly rows: number;
  readonly created: number;
  readonly deleted: number;
  /** The hash of the keys and values that the change depends on, regardless of the order of the rows. */
  readonly digest: string;
  readonly sample: readonly SampledRow[];
  /** The primary keys of the changed rows, up to the number in the option `keys`. */
  readonly keys: readonly Readonly<Record<string, string | null>>[];
  /**
   * The rows before and after the change, up to the number in the option `kept`. They are JSON text, because JavaScript
   * would round their numbers. The value is null if the rows are too large to keep.
   */
  readonly before: string | null;
  readonly after: string | null;
}

export interface SampledRow {
  readonly kind: "create" | "update" | "delete";
  readonly key: Readonly<Record<string, string | null>>;
  /**
   * The columns that differ: name, old value, new value, and a description of the new value if the new value differs at
   * every run.
   */
  readonly fields: readonly (readonly [string, string | null, string | null, string | null])[];
}

export interface ReportOptions {
  /** The columns whose old values are part of the basis, or null for all columns. */
  readonly before: readonly string[] | null;
  readonly assigned: Assignments;
  readonly sample: number;
  readonly keys: number;
  /** The number of rows whose `keptColumns` the report contains. */
  readonly kept: number;
  readonly keptColumns: readonly string[];
}

/**
 * Runs the statement and lets the database count, hash and sample the changed rows, so that the rows stay in the
 * database.
 */
export async function runChange(
  statement: SqlStatement,
  parameters: readonly unknown[],
  table: Table,
  { allowed, ...wanted }: ReportOptions & { readonly allowed: readonly string[] },
  transaction: Transaction,
): Promise<RowChanges> {
  const report = createReportQuery(statement.parameters, table, wanted);
  const text = await toReportingQuery(statement, table, report, transaction.version);
  // The check covers the whole query and not only the statement, because PostgreSQL computes all columns of a view to
  // report its rows.
  const { random } = await requireHarmless(text, allowed, transaction);
  requireStableValues(random, wanted.assigned.generators);
  const { rows } = await transaction.query(text, [...parameters, ...report.values]);
  return rows[0] as unknown as RowChanges;
}

/** Rejects random values, because the applied change would never match its preview. */
function requireStableValues(drawing: ReadonlySet<string>, generators: ReadonlySet<string>): void {
  const chance = [...drawing].find((name) => !generators.has(name));
  // Finds a user's function that only shares its name with a generator. In that case, PostgreSQL reports no call of the
  // real generator.
  const feigned = [...generators].find((name) => name !== "" && !drawing.has(name));
  const name = chance ?? feigned;
  if (name !== undefined)
    throw refusedFault(
      "value-unsettled",
      `The result of \`${name}\` differs in every run, so the applied change would differ from the preview. Assign it directly to a column, as in \`id = gen_random_uuid()\`, or compute the value first and pass it as a parameter.`,
    );
}

/**
 * [P11] Wraps the statement as the first part of the report query. Paraph parses the wrapped statement and requires the
 * same tree as for the statement alone. Paraph itself writes everything that follows the statement.
 */
async function toReportingQuery(
  statement: SqlStatement,
  table: Table,
  report: ReportQuery,
  version: number,
): Promise<string> {
  const part = `with paraph_changed as (\n${statement.text}\n`;
  if (
    !(await isSameStatement(
      `${part}returning 1) select 1`,
      matchChangeInside(statement.kind),
      statement.tree,
    ))
  )
    throw refusedFault(
      "statement-refused",
      "Paraph cannot embed the statement in its preview query. Simplify the statement.",
    );
  return (
    part + (version >= 180_000 ? returningBothClause : toReturningClause(statement, table)) + report.text
  );
}

const matchChangeInside =
  (kind: string) =>
  (only: SqlTree): SqlNode | undefined => {
    const select = only.SelectStmt as SqlTree | undefined;
    const [first, ...more] = ((select?.withClause as SqlTree | undefined)?.ctes ?? []) as readonly SqlTree[];
    const query = (first?.CommonTableExpr as SqlTree | undefined)?.ctequery as SqlTree | undefined;
    const { returningClause, ...rest } = (query?.[kind] ?? {}) as SqlTree;
    return returningClause === undefined || more.length > 0 ? undefined : rest;
  };

const bothClause = ", paraph_both as (select before, after from paraph_changed)";

/** The clause for PostgreSQL 18, which returns both the old and the new row. */
const returningBothClause = `returning with (old as paraph_old, new as paraph_new)
  pg_catalog.to_jsonb(paraph_old.*) as before, pg_catalog.to_jsonb(paraph_new.*) as after
)${bothClause}`;

/**
 * Returns the clause for versions before 18. These versions return either the old or the new row. The query therefore
 * reads the other row by its key from the snapshot that the statement started with.
 */
function toReturningClause(statement: SqlStatement, table: Table): string {
  const { kind, tree } = statement;
  const { alias } = readTarget(statement);
  if (kind === "MergeStmt")
    throw refusedFault("merge-refused", "Previews of MERGE require PostgreSQL 18. Use UPDATE or INSERT.");
  const row = `pg_catalog.to_jsonb(${alias}.*)`;
  if (kind === "DeleteStmt") return `returning ${row} as before, null::jsonb as after\n)${bothClause}`;
  if (kind === "InsertStmt" && tree.onConflictClause === undefined)
    return `returning null::jsonb as before, ${row} as after\n)${bothClause}`;
  const keys = table.columns.filter(({ name }) => table.key.includes(name)).map(({ sql }) => sql);
  if (keys.length === 0)
    throw refusedFault(
      "key-missing",
      "Before PostgreSQL 18, previews require a primary key. Add one to the table, or upgrade PostgreSQL.",
    );
  const returned = keys.map((key, n) => `${alias}.${key} as paraph_key_${n}`).join(", ");
  const same = keys.map((key, n) => `paraph_was.${key} = paraph_became.paraph_key_${n}`).join(" and ");
  return `returning ${row} as paraph_after, ${returned}
), paraph_both as (
  select pg_catalog.to_jsonb(paraph_was.*) as before, paraph_became.paraph_after as after
    from paraph_changed as paraph_became left join ${table.sql} as paraph_was on ${same}
)`;
}
