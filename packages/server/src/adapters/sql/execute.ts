import {
  type Capability,
  defineCapability,
  type ExecutionContext,
  type Json,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { demandBasis } from "./basis.ts";
import { changesOf } from "./changes.ts";
import { definitionBasis, previewDefinition } from "./definition.ts";
import { changeAndLook } from "./look.ts";
import { marked } from "./marker.ts";
import { demandChange } from "./refusals.ts";
import { isSensitive, mask } from "./sensitive.ts";
import { parametersInput, type Setting, sqlInput } from "./setting.ts";
import { type Statement, statementIn } from "./statement.ts";
import { inTransaction, type Transaction } from "./transaction.ts";
import { isUnbounded } from "./unbounded.ts";
import { wayBack } from "./undo.ts";

export function executeSql(setting: Setting): Capability {
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
    preview: (input, world) => preview(setting, input, world),
    apply: (input, world) => apply(setting, input, world),
    undo: (_input, { undo }) => undo && { capability: name, input: undo },
  });
}

const trial = { sample: 20, undoable: false, alone: true };
const real = { sample: 0, undoable: true, alone: false };

/** [P3] Makes the change in a transaction, looks at it, and rolls it back. */
async function preview(setting: Setting, input: ExecuteInput, world: ExecutionContext): Promise<Preview> {
  const statement = await statementIn(input.sql, input.parameters.length);
  const what = demandChange(statement, setting.ddl);
  const { previewTimeoutMs: timeoutMs, lockTimeoutMs } = setting;
  const options = { access: "read write", end: "rollback", timeoutMs, lockTimeoutMs } as const;
  return inTransaction(setting.connections, world, options, async (transaction) => {
    if (what === "definition") return previewDefinition(setting, statement, transaction);
    const look = await changeAndLook(setting, statement, { ...input, ...trial }, transaction);
    const plan = await planOf(statement, input, transaction);
    const changes = changesOf(setting, look, { unbounded: isUnbounded(statement), plan });
    return { changes, basis: look.basis };
  });
}

/** Makes the change and keeps it, if it is what was looked at: one transaction for the change, its mark and its result. */
async function apply(setting: Setting, input: ExecuteInput, world: ExecutionContext): Promise<ExecuteOutput> {
  const statement = await statementIn(input.sql, input.parameters.length);
  const what = demandChange(statement, setting.ddl);
  const { timeoutMs, lockTimeoutMs } = setting;
  const options = { access: "read write", end: "commit", timeoutMs, lockTimeoutMs } as const;
  const result = await inTransaction(setting.connections, world, options, (transaction) =>
    marked(setting.marker, world.key, transaction, async () =>
      what === "definition"
        ? define(setting, statement, world.basis, transaction)
        : change(setting, statement, input, world.basis, transaction),
    ),
  );
  return result as ExecuteOutput;
}

async function change(
  setting: Setting,
  statement: Statement,
  input: ExecuteInput,
  approved: Json | undefined,
  transaction: Transaction,
): Promise<Json> {
  const look = await changeAndLook(setting, statement, { ...input, ...real }, transaction);
  demandBasis(approved, look.basis);
  const { table, changed, beside, kept } = look;
  const { rows, created, deleted } = changed;
  const masked = (column: string, value: string | null) =>
    isSensitive(setting.sensitive, table, column) ? mask : value;
  const keys = changed.keys.map((key) =>
    Object.fromEntries(Object.entries(key).map(([column, value]) => [column, masked(column, value)])),
  );
  const undo = wayBack(statement, table, kept, changed, beside);
  return {
    rows,
    created,
    deleted,
    keys,
    ...(undo && { undo: { ...undo, parameters: [...undo.parameters] } }),
  };
}

async function define(
  setting: Setting,
  statement: Statement,
  approved: Json | undefined,
  transaction: Transaction,
): Promise<Json> {
  demandBasis(approved, await definitionBasis(setting, statement, transaction));
  await transaction.query(statement.text);
  return { keys: [] };
}

/** Without costs: they are guesses from statistics, which PostgreSQL renews while the rows stay what they are. */
async function planOf({ text }: Statement, input: ExecuteInput, transaction: Transaction): Promise<string> {
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
