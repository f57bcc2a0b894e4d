import { type Capability, defineCapability, type ExecutionContext } from "@paraph/core";
import type { FieldDef } from "pg";
import { z } from "zod";
import { queryLimited } from "./connection/limited-query.ts";
import { withTransaction } from "./connection/transaction.ts";
import { parametersInput, type SqlContext, sqlInput } from "./context.ts";
import { requireHarmless } from "./statement/functions.ts";
import { requireRead } from "./statement/refusals.ts";
import { parseStatement } from "./statement/statement.ts";

export function createQueryCapability(sqlContext: SqlContext): Capability {
  return defineCapability({
    name: `${sqlContext.name}.query`,
    version: 1,
    summary: "Read from the database with one SQL statement",
    effect: "read",
    idempotency: "natural",
    input: queryInput,
    output: queryOutput,
    timeout: `${sqlContext.timeoutMs}ms`,
    apply: (input, context) => runQuery(sqlContext, input, context),
  });
}

async function runQuery(
  sqlContext: SqlContext,
  input: QueryInput,
  context: ExecutionContext,
): Promise<QueryOutput> {
  const statement = await parseStatement(input.sql, input.parameters.length);
  requireRead(statement);
  const { timeoutMs, lockTimeoutMs, readRole } = sqlContext;
  const options = { access: "read only", end: "rollback", role: readRole, timeoutMs, lockTimeoutMs } as const;
  return withTransaction(sqlContext.connections, context, options, async (transaction) => {
    await requireHarmless(statement.text, sqlContext.functions, transaction);
    const { fields, rows, truncated } = await queryLimited(
      transaction,
      { text: statement.text, values: input.parameters },
      { rows: Math.min(input.limit ?? sqlContext.maxRows, sqlContext.maxRows), bytes: sqlContext.maxBytes },
    );
    return {
      columns: fields.map(({ name }) => name),
      rows: rows.map((row) => row.map(createValueReader(fields))),
      truncated,
    };
  });
}

/**
 * Returns a function that converts a value from PostgreSQL's text. It converts only booleans and the numbers that
 * JavaScript represents exactly. It keeps every other value as text.
 */
export function createValueReader(fields: readonly FieldDef[]) {
  return (text: string | null, column: number): string | number | boolean | null => {
    const type = fields[column]?.dataTypeID;
    if (text === null) return null;
    if (type === boolean) return text === "t";
    return type === int2 || type === int4 ? Number(text) : text;
  };
}

const [boolean, int2, int4] = [16, 21, 23];

type QueryInput = z.output<typeof queryInput>;
type QueryOutput = z.output<typeof queryOutput>;

const queryInput = z.strictObject({
  sql: sqlInput.describe("one SELECT, VALUES, TABLE, SHOW or EXPLAIN, values as $1, $2, …"),
  parameters: parametersInput,
  limit: z.int().positive().optional().describe("maximum number of rows to return"),
});

const queryOutput = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  truncated: z.boolean().describe("whether the result was truncated; select fewer rows or columns"),
});
