import type { Transaction } from "../connection/transaction.ts";
import type { SqlTree } from "../statement/sql-tree.ts";
import { refusedFault, type SqlStatement } from "../statement/statement.ts";

/** What the database knows of the table that a statement changes. */
export interface Table {
  readonly oid: number;
  /** For people and policy: `public.users`. */
  readonly name: string;
  /** As SQL, every part of it quoted where it must be. */
  readonly sql: string;
  readonly columns: readonly TableColumn[];
  /** The primary key's columns, in its order; none where there is none. */
  readonly key: readonly string[];
  readonly triggers: number;
}

export interface TableColumn {
  readonly name: string;
  readonly sql: string;
  /** Computed by the database: it cannot be written. */
  readonly generated: boolean;
  readonly identity: boolean;
  /** Its default as PostgreSQL writes it. */
  readonly byDefault: string | null;
  /** As PostgreSQL names it; of a domain, what it is made of. */
  readonly type: string;
}

/** The table's name and what the statement calls it. */
export function readTarget({ tree }: SqlStatement): { readonly name: string; readonly alias: string } {
  const relation = tree.relation as SqlTree;
  const { catalogname, schemaname, relname } = relation as Record<string, string | undefined>;
  if (catalogname !== undefined)
    throw refusedFault("database-named", "Name the table without its database: there is only one here.");
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
  if (!facts) throw refusedFault("table-missing", "There is no such table, or the login may not see it.");
  const { kind, ...table } = facts;
  if (kind === "f") throw foreignTableFault();
  return table;
}

/** What is changed on another server is not surely rolled back with what is changed here. */
export function foreignTableFault() {
  return refusedFault("table-foreign", "The table, or a part of it, is on another server. Change it there.");
}

/** A name as SQL, whatever it holds. */
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
