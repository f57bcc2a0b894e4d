import type { Transaction } from "../connection/transaction.ts";
import type { Table } from "./table.ts";

/**
 * The changes that foreign keys and triggers make in other tables, as counts of inserted, updated and deleted rows per
 * table.
 */
export type SideEffects = Readonly<
  Record<string, readonly [inserted: number, updated: number, deleted: number]>
>;

/**
 * Runs the body and counts its changes in tables other than the given table and its partitions. PostgreSQL counts per
 * session, so its counts may still include earlier transactions. The function therefore reads the counts before and
 * after the body.
 */
export async function trackSideEffects<T>(
  transaction: Transaction,
  { oid }: Table,
  marker: string | undefined,
  body: () => Promise<T>,
): Promise<readonly [T, SideEffects]> {
  const look = async () =>
    (await transaction.query(countsQuery, [oid, marker ?? ""])).rows as unknown as TableCounts[];
  const before = new Map((await look()).map((count) => [count.name, count]));
  const value = await body();
  const beside = (await look()).flatMap(({ name, inserted, updated, deleted }) => {
    const was = before.get(name) ?? { inserted: 0, updated: 0, deleted: 0 };
    const more = [inserted - was.inserted, updated - was.updated, deleted - was.deleted] as const;
    return more.some((count) => count > 0) ? [[name, more] as const] : [];
  });
  return [value, Object.fromEntries(beside)];
}

interface TableCounts {
  readonly name: string;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

const countsQuery = `
with recursive own(oid) as (
  select $1::oid
  union
  select i.inhrelid from pg_catalog.pg_inherits i join own on i.inhparent = own.oid
)
select schemaname || '.' || relname as name, n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated, n_tup_del::float8 as deleted
  from pg_catalog.pg_stat_xact_user_tables
 where n_tup_ins + n_tup_upd + n_tup_del > 0
   and relid not in (select oid from own)
   and relid is distinct from to_regclass(nullif($2, ''))
 order by 1`;
