import type { Query } from "../database.ts";

/** The facts that decide whether PostgreSQL can remove old row versions. */
export interface Maintenance {
  readonly autovacuum: boolean;
  /** The tables of Paraph for which autovacuum is disabled. */
  readonly excludedTables: readonly string[];
  /** The number of transactions since the oldest one that is not frozen. PostgreSQL stops writes at two billion. */
  readonly unfrozenTransactions: number;
  /** The oldest transaction of this database among those that the login may see. */
  readonly oldestTransaction?: { readonly name: string; readonly pid: number; readonly ageMs: number };
  /** The sessions of this database whose transactions the login may not see. */
  readonly hiddenSessions: number;
  /** The age of the oldest prepared transaction. */
  readonly oldestPreparedMs?: number;
}

interface MaintenanceRow {
  readonly autovacuum: boolean;
  readonly excludedTables: readonly string[];
  readonly unfrozenTransactions: number;
  readonly hiddenSessions: number;
  readonly oldestPreparedMs: number | null;
}

export async function readMaintenance(query: Query): Promise<Maintenance> {
  const [row] = await query<MaintenanceRow>(`
    select current_setting('autovacuum')::boolean and current_setting('track_counts')::boolean as autovacuum,
           array(select relname::text from pg_class where relnamespace = to_regnamespace('paraph')
                 and reloptions && array['autovacuum_enabled=false', 'autovacuum_enabled=off', 'autovacuum_enabled=0']
                 order by 1) as "excludedTables",
           (select greatest(age(datfrozenxid), mxid_age(datminmxid)) from pg_database
            where datname = current_database()) as "unfrozenTransactions",
           (select count(*)::int from pg_stat_activity where datname = current_database()
            and query = '<insufficient privilege>') as "hiddenSessions",
           (select extract(epoch from clock_timestamp() - min(prepared))::float8 * 1000 from pg_prepared_xacts
            where database = current_database()) as "oldestPreparedMs"`);
  const [oldest] = await query<NonNullable<Maintenance["oldestTransaction"]>>(`
    select coalesce(nullif(application_name, ''), usename::text) as name, pid,
           extract(epoch from clock_timestamp() - xact_start)::float8 * 1000 as "ageMs"
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`);
  const { oldestPreparedMs, ...facts } = row!;
  return {
    ...facts,
    ...(oldest && { oldestTransaction: oldest }),
    ...(oldestPreparedMs !== null && { oldestPreparedMs }),
  };
}
