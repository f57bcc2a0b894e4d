import type { Transaction } from "../connection/transaction.ts";
import type { SqlTree } from "../statement/sql-tree.ts";
import { refusedFault, type SqlStatement } from "../statement/statement.ts";

/** The catalog's facts about the table that a statement changes. */
export interface Table {
  readonly oid: number;
  /** The name for approvers and policy, such as `public.users`. */
  readonly name: string;
  /** The name as SQL, with quotes where a part needs them. */
  readonly sql: string;
  readonly columns: readonly TableColumn[];
  /** The columns of the primary key in its order, or an empty list if the table has no primary key. */
  readonly key: readonly string[];
  readonly triggers: number;
}

export interface TableColumn {
  readonly name: string;
  readonly sql: string;
  /** Whether the database computes the column. A statement cannot write such a column. */
  readonly generated: boolean;
  readonly identity: boolean;
  /** The default as SQL text in PostgreSQL's own form. */
  readonly byDefault: string | null;
  /** PostgreSQL's name of the type, or of the base type if the type is a domain. */
  readonly type: string;
}

/** Returns the table's name and the alias that the statement uses for it. */
export function readTarget({ tree }: SqlStatement): { readonly name: string; readonly alias: string } {
  const relation = tree.relation as SqlTree;
  const { catalogname, schemaname, relname } = relation as Record<string, string | undefined>;
  if (catalogname !== undefined)
    throw refusedFault("database-named", "The table name includes a database. Name the table without it.");
  const alias = (relation.alias as SqlTree | undefined)?.aliasname;
  return {
    name: [schemaname, relname]
      .flatMap((part) => (part === undefined ? [] : quoteIdentifier(part)))
      .join("."),
    alias: quoteIdentifier(`${alias ?? relname}`),
  };
}

export async function readTable(statement: SqlStatement, transaction: Transaction): Promise<Table> {
  const { rows } = await transaction.query(tableQuery, [readTarget(statement).name]);
  const [facts] = rows as unknown as (Table & { readonly kind: string })[];
  if (!facts)
    throw refusedFault(
      "table-missing",
      "There is no such table, or the login cannot access it. Check the name and the permissions of the login.",
    );
  const { kind, ...table } = facts;
  if (kind === "f") throw foreignTableFault();
  return table;
}

/**
 * Returns the error for a foreign table. Paraph rejects foreign tables, because a rollback might not revert a change on
 * another server.
 */
export function foreignTableFault() {
  return refusedFault(
    "table-foreign",
    "The table, or a part of it, is on another server, so Paraph may be unable to roll the change back. Change it on that server.",
  );
}

/** Quotes a name as an SQL identifier. The name may contain any character. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const tableQuery = `
select c.oid::int8::float8 as oid,
       c.relkind as kind,
       n.nspname || '.' || c.relname as name,
       quote_ident(n.nspname) || '.' || quote_ident(c.relname) as sql,
       coalesce((select jsonb_agg(jsonb_build_object(
                   'name', a.attname, 'sql', quote_ident(a.attname), 'generated', a.attgenerated <> '',
                   'identity', a.attidentity <> '', 'type', pg_catalog.format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null),
                   'byDefault', case when a.attgenerated = '' then pg_catalog.pg_get_expr(d.adbin, d.adrelid) end) order by a.attnum)
                   from pg_catalog.pg_attribute a
                   join pg_catalog.pg_type t on t.oid = a.atttypid
                   left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns,
       coalesce((select jsonb_agg(a.attname order by k.place)
                   from pg_catalog.pg_index i
                  cross join lateral unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
                   join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
                  where i.indrelid = c.oid and i.indisprimary and k.place <= i.indnkeyatts), '[]') as key,
       (select count(*)::int from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
           and t.tgenabled <> 'D') as triggers
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.oid = to_regclass($1)`;
