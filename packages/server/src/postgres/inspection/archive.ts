import type { Query } from "../database.ts";

/** The archive of the write-ahead log, as far as PostgreSQL sees it. */
export interface Archive {
  readonly enabled: boolean;
  /** The time since PostgreSQL archived the last file. */
  readonly lastArchivedMs?: number;
  /** Whether the last attempt to archive a file failed. */
  readonly failing: boolean;
  /** The number of complete files that are not archived yet. */
  readonly filesBehind?: number;
  /** The programs that receive the log over a connection, such as pg_receivewal. */
  readonly receivers: readonly string[];
  /** The other programs that receive the log: standbys. */
  readonly standbys: number;
}

interface ArchiveRow {
  readonly enabled: boolean;
  readonly lastArchivedMs: number | null;
  readonly failing: boolean;
  readonly archivedFile: string | null;
  readonly currentFile: string | null;
  readonly fileBytes: number;
  readonly clients: readonly string[];
}

export async function readArchive(query: Query): Promise<Archive> {
  const [row] = await query<ArchiveRow>(`
    select current_setting('archive_mode') <> 'off' as enabled,
           extract(epoch from clock_timestamp() - a.last_archived_time)::float8 * 1000 as "lastArchivedMs",
           a.last_failed_time is not null
             and (a.last_archived_time is null or a.last_failed_time > a.last_archived_time) as failing,
           a.last_archived_wal as "archivedFile",
           case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as "currentFile",
           (select setting::float8 from pg_settings where name = 'wal_segment_size') as "fileBytes",
           array(select application_name from pg_stat_replication) as clients
    from pg_stat_archiver a`);
  const { enabled, failing, lastArchivedMs, archivedFile, currentFile, fileBytes, clients } = row!;
  const filesBehind = countFilesBehind(archivedFile, currentFile, fileBytes);
  const receivers = clients.filter((name) => /receive_?wal/i.test(name));
  return {
    enabled,
    failing,
    ...(lastArchivedMs !== null && { lastArchivedMs }),
    ...(filesBehind !== undefined && { filesBehind }),
    receivers,
    standbys: clients.length - receivers.length,
  };
}

/** PostgreSQL writes to the current file, so a complete archive ends with the file before it. */
function countFilesBehind(archived: string | null, current: string | null, fileBytes: number) {
  const [from, to] = [archived, current].map((name) => parseFileNumber(name, fileBytes));
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from - 1);
}

/** A name consists of the timeline, and of the file's number in two parts, each with eight hexadecimal digits. */
function parseFileNumber(name: string | null, fileBytes: number): number | undefined {
  if (name === null || !/^[0-9A-F]{24}/.test(name)) return undefined;
  const [high, low] = [name.slice(8, 16), name.slice(16, 24)].map((digits) => Number.parseInt(digits, 16));
  return high! * (2 ** 32 / fileBytes) + low!;
}
