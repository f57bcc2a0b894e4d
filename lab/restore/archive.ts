import { appendFile, chown, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "@paraph/dev-servers";
import { asSuperuser, copyData, type DatabaseNode, toDataFolder } from "../failover/standby.ts";
import type { LabCluster } from "../lab-cluster.ts";

/** The archive of the write-ahead log and the base backup of a cluster's PostgreSQL, as an operator keeps them. */
export class BackupArchive {
  readonly #cluster: LabCluster;
  readonly #log: string;
  readonly #backup: string;

  private constructor(cluster: LabCluster) {
    this.#cluster = cluster;
    this.#log = join(cluster.folder, "wal-archive");
    this.#backup = join(cluster.folder, "base-backup");
  }

  /** Makes PostgreSQL archive its write-ahead log. That needs a restart. */
  static async open(cluster: LabCluster): Promise<BackupArchive> {
    const archive = new BackupArchive(cluster);
    await mkdir(archive.#log);
    const { uid, gid } = await stat(toDataFolder(archive.#node.folder));
    // PostgreSQL runs as another user if this process is root.
    await chown(archive.#log, uid, gid);
    const command = `test ! -f ${archive.#log}/%f && cp %p ${archive.#log}/%f`;
    await asSuperuser(archive.#node, async (query) => {
      await query("alter system set archive_mode = on");
      await query(`alter system set archive_command = '${command}'`);
    });
    await cluster.restartPostgres();
    return archive;
  }

  /** Copies the files of the running server between the start and the stop of a backup. */
  async makeBaseBackup(): Promise<void> {
    await asSuperuser(this.#node, async (query) => {
      await query("select pg_backup_start('lab', true)");
      await copyData(this.#node.folder, this.#backup);
      const [stopped] = await query<{ labelfile: string }>("select labelfile from pg_backup_stop(true)");
      await writeFile(join(this.#backup, "label"), stopped!.labelfile);
    });
  }

  /** Resolves when everything that is committed so far is archived. */
  async archiveLog(): Promise<void> {
    await asSuperuser(this.#node, async (query) => {
      const [end] = await query<{ file: string }>("select pg_walfile_name(pg_switch_wal()) as file");
      const isArchived = () => stat(join(this.#log, end!.file)).catch(() => undefined);
      while (!(await isArchived())) await sleep(50);
    });
  }

  /** Restores the base backup into a new folder, up to a moment. The restored server replaces the lost one. */
  async restore(to: Date): Promise<void> {
    const folder = join(this.#cluster.folder, "restored");
    await copyData(this.#backup, folder);
    const data = toDataFolder(folder);
    const settings = [
      "archive_mode = off",
      `restore_command = 'cp ${this.#log}/%f %p'`,
      // PostgreSQL does not know abbreviations of time zones while it reads this file.
      `recovery_target_time = '${to.toISOString().replace("Z", "+00")}'`,
      "recovery_target_action = promote",
    ];
    await appendFile(join(data, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
    const { uid, gid } = await stat(data);
    for (const [name, text] of [
      ["backup_label", await readFile(join(this.#backup, "label"), "utf8")],
      ["recovery.signal", ""],
    ] as const) {
      await writeFile(join(data, name), text);
      await chown(join(data, name), uid, gid);
    }
    const server = await startPostgres({ folder });
    await asSuperuser({ folder, server }, async (query) => {
      const isRecovering = async () =>
        (await query<{ it: boolean }>("select pg_is_in_recovery() as it"))[0]!.it;
      while (await isRecovering()) await sleep(50);
    });
    this.#cluster.postgres = server;
  }

  get #node(): DatabaseNode {
    return { folder: join(this.#cluster.folder, "postgres"), server: this.#cluster.postgres };
  }
}
