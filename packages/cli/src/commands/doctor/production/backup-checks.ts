import { formatDuration } from "../../../lib/terminal/format-time.ts";
import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, fail, ok, warn } from "./production-check.ts";

const maxAgeMs = 86_400_000;
const maxFilesBehind = 8;
const setUp = "set up WAL archiving, and restore a backup once (docs/operate/backup.md)";

/** Whether PostgreSQL sees a backup. It does not see dumps, snapshots of disks, or whether a restore works. */
export const backupChecks: readonly CheckDefinition<DatabaseFacts<"archive">>[] = [
  {
    ...{ subject: "Backup", name: "archive" },
    why: "The database holds every call, vote and receipt. What is not in a backup is lost with the disk.",
    judge: ({ enabled, failing, lastArchivedMs, filesBehind = 0, receivers, standbys }) => {
      const age = lastArchivedMs === undefined ? "" : formatDuration(lastArchivedMs);
      if (enabled && failing)
        return fail(
          `WAL archiving fails${age && `, and the last file was archived ${age} ago`}`,
          "read PostgreSQL's log, and correct `archive_command` or `archive_library`",
        );
      if (receivers.length > 0) return ok(`WAL streams to ${receivers.join(", ")}`);
      if (!enabled && standbys > 0)
        return warn(
          "a standby is connected, but WAL archiving is off. A standby repeats every mistake, and dumps are not visible",
          setUp,
        );
      if (!enabled)
        return warn(
          "no backup is visible: WAL archiving is off and no standby is connected. Dumps and snapshots are not visible",
          setUp,
        );
      if (lastArchivedMs === undefined)
        return warn("WAL archiving is on, but no file was archived yet", "run `select pg_switch_wal()`");
      if (filesBehind > maxFilesBehind)
        return warn(
          `WAL archiving is ${filesBehind} files behind, and the last file was archived ${age} ago`,
          "make the archive faster, because these files exist only on the disk of PostgreSQL",
        );
      if (lastArchivedMs > maxAgeMs)
        return warn(
          `the last WAL file was archived ${age} ago`,
          "set `archive_timeout`, for example to `5min`, so that PostgreSQL also archives files that are not full",
        );
      return ok(`WAL archived ${age} ago (base backups are not visible)`);
    },
  },
];
