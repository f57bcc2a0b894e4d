import {
  type Capability,
  defineCapability,
  type ExecutionContext,
  type Json,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { toSqlChanges } from "./change/changes.ts";
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

export function createExecuteCapability(setting: SqlContext): Capability {
  const name = `${setting.name}.execute`;
  return defineCapability({
    name,
    version: 1,
    summary: "Change rows of the database with one SQL statement",
    effect: "write",
    risk: setting.risk,
    idempotency: setting.marker === undefined ? "none" : "keyed",
    input: executeInput,
    output: executeOutput,
    sensitive: ["undo"],
    timeout: `${setting.timeoutMs}ms`,
    preview: (input, world) => previewExecute(setting, input, world),
    apply: (input, world) => applyExecute(setting, input, world),
    undo: (_input, { undo }) => undo && { capability: name, input: undo },
  });
}

const previewOptions = { sample: 20, undoable: false, alone: true };
const applyOptions = { sample: 0, undoable: true, alone: false };

/** [P3] Makes the change in a transaction, reads what changed, and rolls it back. */
async function previewExecute(
  setting: SqlContext,
  input: ExecuteInput,
  world: ExecutionContext,
): Promise<Preview> {
  const statement = await parseStatement(input.sql, input.parameters.length);
  const what = requireChange(statement, setting.ddl);
  const { previewTimeoutMs, lockTimeoutMs } = setting;
  const options = {
    access: "read write",
    end: "rollback",
    timeoutMs: previewTimeoutMs,
    lockTimeoutMs,
  } as const;
  return withTransaction(setting.connections, world, options, async (transaction) => {
    if (what === "definition") return previewDefinition(setting, statement, transaction);
    const look = await makeChange(setting, statement, { ...input, ...previewOptions }, transaction);
    const plan = await explainPlan(statement, input, transaction);
    const changes = toSqlChanges(setting, look, { unbounded: isUnbounded(statement), plan });
    return { changes, basis: look.basis };
  });
}

/**
 * Makes the change and keeps it if it matches the preview. The change, its mark and its result share one transaction.
 */
async function applyExecute(
  setting: SqlContext,
  input: ExecuteInput,
  world: ExecutionContext,
): Promise<ExecuteOutput> {
  const statement = await parseStatement(input.sql, input.parameters.length);
  const what = requireChange(statement, setting.ddl);
  const { timeoutMs, lockTimeoutMs } = setting;
  const options = { access: "read write", end: "commit", timeoutMs, lockTimeoutMs } as const;
  const result = await withTransaction(setting.connections, world, options, (transaction) =>
    applyOnce(setting.marker, world.key, transaction, async () =>
      what === "definition"
        ? applyDefinition(setting, statement, world.basis, transaction)
        : applyChange(setting, statement, input, world.basis, transaction),
    ),
  );
  return result as ExecuteOutput;
}

async function applyChange(
  setting: SqlContext,
  statement: SqlStatement,
  input: ExecuteInput,
  approved: Json | undefined,
  transaction: Transaction,
): Promise<Json> {
  const look = await makeChange(setting, statement, { ...input, ...applyOptions }, transaction);
  requireSqlBasis(approved, look.basis);
  const { table, changed, beside, kept } = look;
  const { rows, created, deleted } = changed;
  const masked = (column: string, value: string | null) =>
    isSensitiveColumn(setting.sensitive, table, column) ? sensitiveMask : value;
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
  setting: SqlContext,
  statement: SqlStatement,
  approved: Json | undefined,
  transaction: Transaction,
): Promise<Json> {
  requireSqlBasis(approved, await readDefinitionBasis(setting, statement, transaction));
  await transaction.query(statement.text);
  return { keys: [] };
}

/**
 * Returns the query plan without costs, because PostgreSQL estimates them from statistics that change while the rows do
 * not.
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
    .describe("refuse unless exactly so many rows change, as an undo does"),
});

const executeOutput = z.object({
  rows: z.int().optional().describe("how many rows were changed; not told of definitions"),
  created: z.int().optional().describe("of these, inserted"),
  deleted: z.int().optional().describe("of these, deleted"),
  keys: z.array(z.record(z.string(), z.string().nullable())).describe("primary keys of the first 100 rows"),
  undo: z
    .object({ sql: z.string(), parameters: z.array(z.string()), rows: z.int() })
    .optional()
    .describe("the way back; absent where there is no honest one"),
});
