import type { Change, Json, Preview } from "@paraph/core";
import { requireNotMarker } from "../connection/marker.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { SqlContext } from "../context.ts";
import { requireHarmlessNames } from "../statement/functions.ts";
import { listNodes, type SqlNode, type SqlTree, walkTree } from "../statement/sql-tree.ts";
import { refusedFault, type SqlStatement } from "../statement/statement.ts";
import { quoteIdentifier } from "./table.ts";

/** The current state of an object that a definition statement names. */
interface DefinedObject {
  readonly name: string;
  readonly there: boolean;
  /** The hash of the object's kind and columns. */
  readonly digest: string | null;
  /**
   * The number of rows that the database last estimated. The estimate changes without any call, so the basis does not
   * include it.
   */
  readonly estimatedRows: number | null;
}

/**
 * Previews a definition without running it, because running it would lock its table for every other session. The
 * preview shows the objects that the statement names, and their state is the basis. The preview has no row count. A
 * policy rule that asks or blocks above a number of rows also applies if the count is missing, so it applies to every
 * definition.
 */
export async function previewDefinition(
  sqlContext: SqlContext,
  statement: SqlStatement,
  transaction: Transaction,
): Promise<Preview> {
  const spoken = await readDefinedObjects(sqlContext, statement, transaction);
  const kind = changeKinds[statement.kind] ?? "update";
  const changes = spoken.map(({ name, there, estimatedRows }): Change => {
    const summary = `${there ? "Exists now" : "Does not exist yet"}; the preview did not run the statement`;
    return {
      kind,
      target: name,
      summary,
      details: { there, ...(estimatedRows !== null && { estimatedRows }) },
    };
  });
  return { changes, basis: toDefinitionBasis(spoken) };
}

export async function readDefinitionBasis(
  sqlContext: SqlContext,
  statement: SqlStatement,
  transaction: Transaction,
): Promise<Json> {
  return toDefinitionBasis(await readDefinedObjects(sqlContext, statement, transaction));
}

const changeKinds: Readonly<Record<string, Change["kind"]>> = {
  CreateStmt: "create",
  IndexStmt: "create",
  CreateTableAsStmt: "create",
  ViewStmt: "create",
  CreateSeqStmt: "create",
  DropStmt: "delete",
  TruncateStmt: "delete",
};

function toDefinitionBasis(spoken: readonly DefinedObject[]): Json {
  return { definition: spoken.map(({ name, digest }) => [name, digest]) };
}

async function readDefinedObjects(
  sqlContext: SqlContext,
  statement: SqlStatement,
  transaction: Transaction,
): Promise<DefinedObject[]> {
  requireOwnObjects(statement);
  await requireHarmlessNames(statement, sqlContext.functions, transaction);
  const names = listNames(statement);
  const { rows } = await transaction.query(definedObjectsQuery, [names]);
  const found = rows as unknown as (DefinedObject & { readonly oid: number | null })[];
  for (const { oid } of found) if (oid !== null) await requireNotMarker(sqlContext.marker, oid, transaction);
  return found.map(({ name, there, digest, estimatedRows }) => ({ name, there, digest, estimatedRows }));
}

/** Rejects definitions that change an object's owner or disable its protections, such as row security and triggers. */
function requireOwnObjects({ kind, tree }: SqlStatement): void {
  if (tree.schemaElts !== undefined)
    throw refusedFault(
      "several-changes",
      "CREATE SCHEMA contains other definitions. Send each definition in its own call.",
    );
  for (const found of walkTree({ tree })) {
    const [key, below] = found ?? [];
    if (key === "behavior" && below === "DROP_CASCADE")
      throw refusedFault(
        "cascade-refused",
        "CASCADE affects objects that the preview does not show. Remove CASCADE, and name each table or view in its own call.",
      );
    if ((key === "relpersistence" && below === "t") || (key === "schemaname" && /^pg_temp/.test(`${below}`)))
      throw refusedFault(
        "temporary-refused",
        "Temporary objects do not persist between calls. Remove TEMPORARY.",
      );
  }
  const type = `${tree.removeType ?? tree.renameType ?? ""}`;
  const isForeign =
    (kind === "DropStmt" || kind === "RenameStmt") &&
    !/^OBJECT_(?:TABLE|COLUMN|TABCONSTRAINT|VIEW|MATVIEW|INDEX|SEQUENCE)$/.test(type);
  const guards = listNodes(tree.cmds, "AlterTableCmd").some(({ subtype }) =>
    /Owner|RowSecurity|Trig|Rule|Tablespace/.test(`${subtype}`),
  );
  if (isForeign || guards)
    throw refusedFault(
      "statement-refused",
      "Calls can define only tables, views, indexes and sequences. They cannot change owners, row security, triggers or rules.",
    );
}

function listNames({ kind, tree }: SqlStatement): string[] {
  const parts: (string | undefined)[][] = [];
  for (const found of walkTree({ tree })) {
    const below = found?.[1] as SqlTree | undefined;
    if (typeof below?.relname === "string")
      parts.push([below.schemaname as string | undefined, below.relname]);
  }
  if (kind === "DropStmt")
    for (const { items } of listNodes(tree.objects, "List"))
      parts.push(listNodes(items, "String").map(readString));
  const names = parts.map((name) =>
    name.flatMap((part) => (part === undefined ? [] : quoteIdentifier(part))).join("."),
  );
  return [...new Set(names)].sort();
}

function readString({ sval }: { readonly [key: string]: SqlNode }): string {
  return `${sval}`;
}

const definedObjectsQuery = `
select coalesce(n.nspname || '.' || c.relname, wanted) as name,
       c.oid is not null as there,
       c.oid::int8::float8 as oid,
       case when c.reltuples >= 0 then c.reltuples::float8 end as "estimatedRows",
       (select encode(sha256(convert_to(c.relkind::text || coalesce(string_agg(
          jsonb_build_array(a.attname, a.atttypid::regtype, a.atttypmod, a.attnotnull)::text, ',' order by a.attnum), ''), 'UTF8')), 'hex')
          from pg_catalog.pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped having c.oid is not null) as digest
  from unnest($1::text[]) as wanted
  left join pg_catalog.pg_class c on c.oid = to_regclass(wanted)
  left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 order by wanted`;
