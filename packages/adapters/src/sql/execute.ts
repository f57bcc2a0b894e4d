import {
  type Capability,
  type Change,
  defineCapability,
  type ExecutionContext,
  type Json,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { formatRowCount, toSqlChanges } from "./change/changes.ts";
import { previewDefinition, readDefinitionBasis } from "./change/definition.ts";
import { makeChange } from "./change/make-change.ts";
import { requireSqlBasis } from "./change/rows-basis.ts";
import { isSensitiveColumn, sensitiveMask } from "./change/sensitive.ts";
import { toUndoChange } from "./change/undo.ts";
import { applyOnce } from "./connection/marker.ts";
import { type Transaction, withTransaction } from "./connection/transaction.ts";
import { parametersInput, type SqlContext, sqlInput } from "./context.ts";
import { requireChange } from "./statement/refusals.ts";
import { parseStatement, type SqlStatement } from "./statement/statement.ts";
import { isUnbounded } from "./statement/unbounded.ts";

export function createExecuteCapability(sqlContext: SqlContext): Capability {
  const name = `${sqlContext.name}.execute`;
  return defineCapability({
    name,
    version: 1,
    summary: "Change rows of the database with one SQL statement",
    effect: "write",
    risk: sqlContext.risk,
    idempotency: sqlContext.marker === undefined ? "none" : "keyed",
    input: executeInput,
    output: executeOutput,
    sensitive: ["undo"],
    timeout: `${sqlContext.timeoutMs}ms`,
    preview: (input, context) => previewExecute(sqlContext, input, context),
    apply: (input, context) => applyExecute(sqlContext, input, context),
    headline: (_input, preview) => describeRows(preview),
    undo: (_input, { undo }) => undo && { capability: name, input: undo },
  });
}

/** Returns the change of the statement's own table, such as `Update 12 rows of users`, or nothing for a definition. */
function describeRows(preview: Preview | undefined): string {
  const change = preview?.changes.find(
    ({ kind, details }) => kind !== "other" && details?.rows !== undefined,
  );
  const rows = change?.details?.rows;
  if (!change || typeof rows !== "number") return "";
  return `${rowVerbs.get(change.kind) ?? "Change"} ${formatRowCount(rows)} of ${change.target}`;
}

const rowVerbs: ReadonlyMap<Change["kind"], string> = new Map([
  ["create", "Insert"],
  ["update", "Update"],
  ["delete", "Delete"],
]);

const previewOptions = { sample: 20, undoable: false, alone: true };
const applyOptions = { sample: 0, undoable: true, alone: false };

/** [P3] Makes the change in a transaction, reads what changed, and rolls the transaction back. */
async function previewExecute(
  sqlContext: SqlContext,
  input: ExecuteInput,
  context: ExecutionContext,
): Promise<Preview> {
  const statement = await parseStatement(input.sql, input.parameters.length);
  const what = requireChange(statement, sqlContext.ddl);
  const { previewTimeoutMs, lockTimeoutMs } = sqlContext;
  const options = {
    access: "read write",
    end: "rollback",
    timeoutMs: previewTimeoutMs,
    lockTimeoutMs,
  } as const;
  return withTransaction(sqlContext.connections, context, options, async (transaction) => {
    if (what === "definition") return previewDefinition(sqlContext, statement, transaction);
    const result = await makeChange(sqlContext, statement, { ...input, ...previewOptions }, transaction);
    const plan = await explainPlan(statement, input, transaction);
    const changes = toSqlChanges(sqlContext, result, { unbounded: isUnbounded(statement), plan });
    return { changes, basis: result.basis };
  });
}

/**
 * Makes the change and keeps it if it matches the preview. The change, its mark and its result share one transaction.
 */
async function applyExecute(
  sqlContext: SqlContext,
  input: ExecuteInput,
  context: ExecutionContext,
): Promise<ExecuteOutput> {
  const statement = await parseStatement(input.sql, input.parameters.length);
  const what = requireChange(statement, sqlContext.ddl);
  const { timeoutMs, lockTimeoutMs } = sqlContext;
  const options = { access: "read write", end: "commit", timeoutMs, lockTimeoutMs } as const;
  const result = await withTransaction(sqlContext.connections, context, options, (transaction) =>
    applyOnce(sqlContext.marker, context.key, transaction, async () =>
      what === "definition"
        ? applyDefinition(sqlContext, statement, context.basis, transaction)
        : applyChange(sqlContext, statement, input, context.basis, transaction),
    ),
  );
  return result as ExecuteOutput;
}

async function applyChange(
  sqlContext: SqlContext,
  statement: SqlStatement,
  input: ExecuteInput,
  approved: Json | undefined,
  transaction: Transaction,
): Promise<Json> {
  const result = await makeChange(sqlContext, statement, { ...input, ...applyOptions }, transaction);
  requireSqlBasis(approved, result.basis);
  const { table, changed, beside, kept } = result;
  const { rows, created, deleted } = changed;
  const masked = (column: string, value: string | null) =>
    isSensitiveColumn(sqlContext.sensitive, table, column) ? sensitiveMask : value;
  const keys = changed.keys.map((key) =>
    Object.fromEntries(Object.entries(key).map(([column, value]) => [column, masked(column, value)])),
  );
  const undo = toUndoChange(statement, table, kept, changed, beside);
  return {
    rows,
    created,
    deleted,
    keys,
    ...(undo && { undo: { ...undo, parameters: [...undo.parameters] } }),
  };
}

async function applyDefinition(
  sqlContext: SqlContext,
  statement: SqlStatement,
  approved: Json | undefined,
  transaction: Transaction,
): Promise<Json> {
  requireSqlBasis(approved, await readDefinitionBasis(sqlContext, statement, transaction));
  await transaction.query(statement.text);
  return { keys: [] };
}

/**
 * Returns the query plan without costs. PostgreSQL estimates costs from statistics, which may change while the rows
 * stay the same.
 */
async function explainPlan(
  { text }: SqlStatement,
  input: ExecuteInput,
  transaction: Transaction,
): Promise<string> {
  const { rows } = await transaction.query(`explain (costs off) ${text}`, input.parameters);
  return rows.map((row) => `${row["QUERY PLAN"]}`).join("\n");
}

type ExecuteInput = z.output<typeof executeInput>;
type ExecuteOutput = z.output<typeof executeOutput>;

const executeInput = z.strictObject({
  sql: sqlInput.describe("one INSERT, UPDATE, DELETE or MERGE without RETURNING, values as $1, $2, …"),
  parameters: parametersInput,
  rows: z
    .int()
    .nonnegative()
    .optional()
    .describe("reject the change unless it affects exactly this many rows (an undo sets it)"),
});

const executeOutput = z.object({
  rows: z.int().optional().describe("number of changed rows; absent for definitions"),
  created: z.int().optional().describe("number of inserted rows among them"),
  deleted: z.int().optional().describe("number of deleted rows among them"),
  keys: z.array(z.record(z.string(), z.string().nullable())).describe("primary keys of the first 100 rows"),
  undo: z
    .object({ sql: z.string(), parameters: z.array(z.string()), rows: z.int() })
    .optional()
    .describe("statement that undoes the change; absent if the change cannot be undone"),
});
