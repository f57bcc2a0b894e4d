import type { Query } from "../database.ts";

/** The settings that decide whether committed transactions survive a crash. */
export interface Durability {
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly dataChecksums: boolean;
  /** The value in sessions that do not set it. The processes of Paraph always set it to `on`. */
  readonly synchronousCommit: string;
  /** The number of damaged pages that PostgreSQL found in this database. */
  readonly damagedPages: number;
}

export async function readDurability(query: Query): Promise<Durability> {
  const [row] = await query<Durability>(`
    select current_setting('fsync')::boolean as fsync,
           current_setting('full_page_writes')::boolean as "fullPageWrites",
           current_setting('data_checksums') = 'on' as "dataChecksums",
           current_setting('synchronous_commit') as "synchronousCommit",
           (select coalesce(sum(checksum_failures), 0)::int from pg_stat_database
            where datname = current_database()) as "damagedPages"`);
  return row!;
}
