import type { Query } from "../database.ts";

/** The standbys of the server, and the slots that keep its write-ahead log. */
export interface Replication {
  /** Whether the server is itself a standby, which accepts no writes. */
  readonly isStandby: boolean;
  /** The setting `synchronous_standby_names`. It is empty if commits wait for no standby. */
  readonly synchronousNames: string;
  readonly standbys: readonly {
    readonly name: string;
    /** Null if the login may not see it. */
    readonly synchronous: boolean | null;
    readonly lagBytes: number | null;
  }[];
  readonly slots: readonly {
    readonly name: string;
    readonly active: boolean;
    readonly lost: boolean;
    /** The bytes of the write-ahead log that the slot keeps. */
    readonly keptBytes: number;
  }[];
}

export async function readReplication(query: Query): Promise<Replication> {
  const [row] = await query<{ isStandby: boolean; synchronousNames: string }>(
    `select pg_is_in_recovery() as "isStandby", current_setting('synchronous_standby_names') as "synchronousNames"`,
  );
  const position = row!.isStandby ? "pg_last_wal_replay_lsn()" : "pg_current_wal_lsn()";
  return {
    ...row!,
    standbys: await query<Replication["standbys"][number]>(
      `select application_name as name, sync_state in ('sync', 'quorum') as synchronous,
              pg_wal_lsn_diff(${position}, replay_lsn)::float8 as "lagBytes"
       from pg_stat_replication where application_name !~* 'receive_?wal' order by 1`,
    ),
    slots: await query<Replication["slots"][number]>(
      `select slot_name::text as name, active, coalesce(wal_status = 'lost', false) as lost,
              coalesce(pg_wal_lsn_diff(${position}, restart_lsn), 0)::float8 as "keptBytes"
       from pg_replication_slots where not temporary order by 1`,
    ),
  };
}
