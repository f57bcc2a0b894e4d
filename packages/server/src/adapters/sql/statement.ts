import { CapabilityError } from "@paraph/core";
import { type Branch, branchesOf, type Tree, treesIn, withoutPlaces } from "./tree.ts";

/** One statement, as PostgreSQL's own parser reads it. */
export interface Statement {
  /** PostgreSQL's name for what it is: `UpdateStmt`. */
  readonly kind: string;
  readonly tree: Tree;
  /** As it was sent, without what ends it. */
  readonly text: string;
  /** The highest of `$1`, `$2`, … */
  readonly parameters: number;
  /** Names that may be functions it calls, without their schemas: `f(x)`, and `(x).f`, which is a call or a column. */
  readonly names: readonly string[];
}

/** Past this the parser may run out of stack; what is longer belongs into parameters. */
export const longestStatement = 8_000;

/** [P11] What cannot be read for certain is refused: nothing is sent that was not understood. */
export async function statementIn(sql: string, given: number): Promise<Statement> {
  const [only, ...more] = await parsed(sql);
  if (!only) throw refused("statement-missing", "There is no statement: send exactly one.");
  if (more.length > 0)
    throw refused("several-statements", "These are several statements: send each in a call of its own.");
  const [kind, tree] = Object.entries(only.stmt)[0]!;
  const { names, parameters } = usesOf(tree);
  if (parameters !== given) {
    throw refused(
      "parameters-differ",
      `The statement uses ${parameters} parameters ($1, $2, …) and ${given} were given: make them as many.`,
    );
  }
  return { kind, tree, text: textOf(sql, only), parameters, names };
}

/** Whether a text is this one statement and nothing else, its way of saying so aside. */
export async function readsAs(
  text: string,
  matches: (only: Tree) => Branch | undefined,
  tree: Tree,
): Promise<boolean> {
  const [only, ...more] = await parsed(text);
  const found = only && more.length === 0 ? matches(only.stmt) : undefined;
  return found !== undefined && JSON.stringify(withoutPlaces(found)) === JSON.stringify(withoutPlaces(tree));
}

export function refused(code: string, message: string): CapabilityError {
  return new CapabilityError("permanent", code, message);
}

interface Raw {
  readonly stmt: { readonly [kind: string]: Tree };
  /** In bytes. */
  readonly stmt_location?: number;
  readonly stmt_len?: number;
}

async function parsed(sql: string): Promise<readonly Raw[]> {
  // A parser written in C reads up to the first NUL.
  if (sql.includes("\0"))
    throw refused("syntax-invalid", "The statement holds a NUL character, which no SQL may.");
  if (sql.trim() === "") return [];
  const { parse } = await import("libpg-query");
  try {
    return ((await parse(sql)).stmts ?? []) as unknown as readonly Raw[];
  } catch (error) {
    const { sqlDetails } = error as { sqlDetails?: { message: string; cursorPosition: number } };
    if (!sqlDetails || sqlDetails.message.startsWith("memory exhausted")) throw tooComplex();
    throw refused("syntax-invalid", `This is not SQL as PostgreSQL reads it: ${sqlDetails.message}.`);
  }
}

function tooComplex(): CapabilityError {
  return refused("too-complex", "The statement is nested too deeply to be read: say it more simply.");
}

function usesOf(tree: Tree): Pick<Statement, "names" | "parameters"> {
  const names = new Set<string>();
  let parameters = 0;
  for (const found of branchesOf(tree)) {
    if (!found) throw tooComplex();
    const [key, below] = found;
    if (key === "FuncCall") names.add(functionName(below as Tree));
    if (key === "A_Indirection" || key === "ColumnRef")
      for (const name of attributesOf(below as Tree)) names.add(name);
    if (key === "ParamRef") parameters = Math.max(parameters, Number((below as Tree).number ?? 0));
  }
  return { names: [...names], parameters };
}

export function functionName({ funcname }: Tree): string {
  const last = (funcname as readonly Tree[]).at(-1) as { String: { sval: string } };
  return last.String.sval;
}

function attributesOf({ indirection, fields }: Tree): string[] {
  const parts = indirection ?? (fields as readonly Tree[]).slice(1);
  return treesIn(parts, "String").map(({ sval }) => `${sval}`);
}

function textOf(sql: string, { stmt_location = 0, stmt_len }: Raw): string {
  const bytes = Buffer.from(sql);
  return bytes
    .subarray(stmt_location, stmt_len === undefined ? bytes.length : stmt_location + stmt_len)
    .toString();
}
