import type { Transaction } from "../connection/transaction.ts";
import type { Assignments } from "../statement/assignments.ts";
import { requireHarmless } from "../statement/functions.ts";
import type { SqlNode, SqlTree } from "../statement/sql-tree.ts";
import { isSameStatement, refusedFault, type SqlStatement } from "../statement/statement.ts";
import { createReportQuery, type ReportQuery } from "./report-query.ts";
import { readTarget, type Table } from "./table.ts";

/** What a statement did to its table, told by itself while it did it. */
export interface RowChanges {
  readonly rows: number;
  readonly created: number;
  readonly deleted: number;
  /** Over the keys and values that the change rests on, in whatever order the rows came. */
  readonly digest: string;
  readonly sample: readonly SampledRow[];
  /** Keys of the rows, as far as `keys` wanted them. */
  readonly keys: readonly Readonly<Record<string, string | null>>[];
  /**
   * The rows before and after, as many as `kept` wanted, as JSON text: JavaScript's numbers would round them. Not there
   * where they are too large to be kept.
   */
  readonly before: string | null;
  readonly after: string | null;
}

export interface SampledRow {
  readonly kind: "create" | "update" | "delete";
  readonly key: Readonly<Record<string, string | null>>;
  /** Columns that differ: name, before, after, and where the new value is another one at every run, what it is. */
  readonly fields: readonly (readonly [string, string | null, string | null, string | null])[];
}

export interface ReportOptions {
  /** The columns whose old values the change rests on; all of them unless said. */
  readonly before: readonly string[] | null;
  readonly assigned: Assignments;
  readonly sample: number;
  readonly keys: number;
  /** How many rows are kept whole, of these columns. */
  readonly kept: number;
  readonly keptColumns: readonly string[];
}

/** Runs the statement and has the database count, hash and sample what it changed: the rows themselves stay there. */
export async function runChange(
  statement: SqlStatement,
  parameters: readonly unknown[],
  table: Table,
  { allowed, ...wanted }: ReportOptions & { readonly allowed: readonly string[] },
  transaction: Transaction,
): Promise<RowChanges> {
  const report = createReportQuery(statement.parameters, table, wanted);
  const text = await toReportingQuery(statement, table, report, transaction.version);
  // The query that runs, not the statement alone: to tell the rows of a view, PostgreSQL computes all of its columns.
  const { random: drawing } = await requireHarmless(text, allowed, transaction);
  requireStableValues(drawing, wanted.assigned.generators);
  const { rows } = await transaction.query(text, [...parameters, ...report.values]);
  return rows[0] as unknown as RowChanges;
}

/** A change that is made by chance is never the one that was looked at. */
function requireStableValues(drawing: ReadonlySet<string>, generators: ReadonlySet<string>): void {
  const chance = [...drawing].find((name) => !generators.has(name));
  // A function of a user that only has the name of a generator is none.
  const feigned = [...generators].find((name) => name !== "" && !drawing.has(name));
  const name = chance ?? feigned;
  if (name !== undefined)
    throw refusedFault(
      "value-unsettled",
      `The result of \`${name}\` differs at every run, so what is applied would not be what was previewed. Assign it to a column alone, as in \`id = gen_random_uuid()\`, or compute the value first and pass it as a parameter.`,
    );
}

/**
 * The statement as the first part of a query about it. [P11] It is read again there: up to the word that follows it, it must
 * be to the letter what it was alone. What follows is ours.
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
      "The statement does not read the same within a query about it: say it more simply.",
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

/** PostgreSQL 18 tells both what was and what is. */
const returningBothClause = `returning with (old as paraph_old, new as paraph_new)
  pg_catalog.to_jsonb(paraph_old.*) as before, pg_catalog.to_jsonb(paraph_new.*) as after
)${bothClause}`;

/** Before 18 only one of them is told: the other is read by its key in the snapshot that the statement began with. */
function toReturningClause(statement: SqlStatement, table: Table): string {
  const { kind, tree } = statement;
  const { alias } = readTarget(statement);
  if (kind === "MergeStmt")
    throw refusedFault(
      "merge-refused",
      "MERGE can be previewed from PostgreSQL 18 on: use UPDATE or INSERT.",
    );
  const row = `pg_catalog.to_jsonb(${alias}.*)`;
  if (kind === "DeleteStmt") return `returning ${row} as before, null::jsonb as after\n)${bothClause}`;
  if (kind === "InsertStmt" && tree.onConflictClause === undefined)
    return `returning null::jsonb as before, ${row} as after\n)${bothClause}`;
  const keys = table.columns.filter(({ name }) => table.key.includes(name)).map(({ sql }) => sql);
  if (keys.length === 0)
    throw refusedFault(
      "key-missing",
      "Without a primary key, before PostgreSQL 18, nobody can tell what this changes.",
    );
  const returned = keys.map((key, n) => `${alias}.${key} as paraph_key_${n}`).join(", ");
  const same = keys.map((key, n) => `paraph_was.${key} = paraph_became.paraph_key_${n}`).join(" and ");
  return `returning ${row} as paraph_after, ${returned}
), paraph_both as (
  select pg_catalog.to_jsonb(paraph_was.*) as before, paraph_became.paraph_after as after
    from paraph_changed as paraph_became left join ${table.sql} as paraph_was on ${same}
)`;
}
