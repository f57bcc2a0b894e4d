import type { BenchDatabase } from "../lib/servers.ts";

/** The bytes that each closed call adds to one table and its indexes. */
export interface Growth {
  readonly table: string;
  readonly rowBytes: number;
  readonly indexBytes: number;
}

/** Measures the growth per call from the size of each table, after many copies of one call. */
export async function measureGrowth(
  query: BenchDatabase<unknown>["query"],
  calls: number,
): Promise<Growth[]> {
  return query<Growth>(
    `select relname as table, (pg_table_size(oid) / $1::float) as "rowBytes", (pg_indexes_size(oid) / $1::float) as "indexBytes"
     from pg_class where relnamespace = 'paraph'::regnamespace and relkind = 'r' and pg_total_relation_size(oid) > $1::float * 8
     order by pg_total_relation_size(oid) desc`,
    [calls],
  );
}
