import { CapabilityError } from "@paraph/core";
import { listNodes, removeLocations, type SqlNode, type SqlTree, walkTree } from "./sql-tree.ts";

/** One statement as PostgreSQL's own parser reads it. */
export interface SqlStatement {
  /** PostgreSQL's name for the kind of statement, such as `UpdateStmt`. */
  readonly kind: string;
  readonly tree: SqlTree;
  /** The text as the requester sent it, without the terminator. */
  readonly text: string;
  /** The highest number among `$1`, `$2` and so on. */
  readonly parameters: number;
  /**
   * The names, without schemas, of the functions that the statement may call. They come from `f(x)` and from `(x).f`.
   * The second form is either a call or a column.
   */
  readonly names: readonly string[];
}

/**
 * The maximum length of a statement. The parser may run out of stack on a longer statement. Longer values belong in
 * parameters.
 */
export const maxStatementLength = 8_000;

/**
 * [P11] Parses exactly one statement. It rejects a statement that it cannot parse with certainty, so Paraph sends only
 * statements that it understands.
 */
export async function parseStatement(sql: string, given: number): Promise<SqlStatement> {
  const [only, ...more] = await parseRaw(sql);
  if (!only) throw refusedFault("statement-missing", "There is no statement. Send exactly one.");
  if (more.length > 0)
    throw refusedFault(
      "several-statements",
      "The call contains several statements. Send each statement in its own call.",
    );
  const [kind, tree] = Object.entries(only.stmt)[0]!;
  const { names, parameters } = listUses(tree);
  if (parameters !== given) {
    throw refusedFault(
      "parameters-differ",
      `The statement uses ${parameters} parameters ($1, $2, …), but the number of values in the call is ${given}. Send one value for each parameter.`,
    );
  }
  return { kind, tree, text: readStatementText(sql, only), parameters, names };
}

/** Whether a text is exactly this one statement. Differences in whitespace and notation do not count. */
export async function isSameStatement(
  text: string,
  matches: (only: SqlTree) => SqlNode | undefined,
  tree: SqlTree,
): Promise<boolean> {
  const [only, ...more] = await parseRaw(text);
  const found = only && more.length === 0 ? matches(only.stmt) : undefined;
  return (
    found !== undefined && JSON.stringify(removeLocations(found)) === JSON.stringify(removeLocations(tree))
  );
}

export function refusedFault(code: string, message: string): CapabilityError {
  return new CapabilityError("permanent", code, message);
}

interface RawStatement {
  readonly stmt: { readonly [kind: string]: SqlTree };
  /** The offset in bytes. */
  readonly stmt_location?: number;
  readonly stmt_len?: number;
}

async function parseRaw(sql: string): Promise<readonly RawStatement[]> {
  // Rejects a NUL. The parser is written in C and stops at the first NUL, so it would ignore the rest of the statement.
  if (sql.includes("\0"))
    throw refusedFault("syntax-invalid", "The statement contains a NUL character. Remove it.");
  if (sql.trim() === "") return [];
  const { parse } = await import("libpg-query");
  try {
    return ((await parse(sql)).stmts ?? []) as unknown as readonly RawStatement[];
  } catch (error) {
    const { sqlDetails } = error as { sqlDetails?: { message: string; cursorPosition: number } };
    if (!sqlDetails || sqlDetails.message.startsWith("memory exhausted")) throw tooComplexFault();
    throw refusedFault("syntax-invalid", `PostgreSQL cannot parse the statement: ${sqlDetails.message}.`);
  }
}

function tooComplexFault(): CapabilityError {
  return refusedFault("too-complex", "The statement is nested too deeply. Simplify it.");
}

function listUses(tree: SqlTree): Pick<SqlStatement, "names" | "parameters"> {
  const names = new Set<string>();
  let parameters = 0;
  for (const found of walkTree(tree)) {
    if (!found) throw tooComplexFault();
    const [key, below] = found;
    if (key === "FuncCall") names.add(readFunctionName(below as SqlTree));
    if (key === "A_Indirection" || key === "ColumnRef")
      for (const name of listAttributes(below as SqlTree)) names.add(name);
    if (key === "ParamRef") parameters = Math.max(parameters, Number((below as SqlTree).number ?? 0));
  }
  return { names: [...names], parameters };
}

export function readFunctionName({ funcname }: SqlTree): string {
  const last = (funcname as readonly SqlTree[]).at(-1) as { String: { sval: string } };
  return last.String.sval;
}

function listAttributes({ indirection, fields }: SqlTree): string[] {
  const parts = indirection ?? (fields as readonly SqlTree[]).slice(1);
  return listNodes(parts, "String").map(({ sval }) => `${sval}`);
}

function readStatementText(sql: string, { stmt_location = 0, stmt_len }: RawStatement): string {
  const bytes = Buffer.from(sql);
  return bytes
    .subarray(stmt_location, stmt_len === undefined ? bytes.length : stmt_location + stmt_len)
    .toString();
}
