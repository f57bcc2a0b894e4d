import { execFile } from "node:child_process";
import { appendFile, chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type LocalPostgres, startPostgres } from "@paraph/dev-servers";
import { Client } from "pg";

/** A PostgreSQL server with the folder of its data. */
export interface DatabaseNode {
  readonly folder: string;
  readonly server: LocalPostgres;
}

/**
 * Builds a standby from a base backup of the running primary, and resolves when the primary replicates to it
 * synchronously. From then on, every acknowledged commit is on both servers.
 */
export async function attachStandby(primary: DatabaseNode, folder: string): Promise<DatabaseNode> {
  await asSuperuser(primary, async (query) => {
    await query("alter system set wal_keep_size = '1GB'");
    await query("select pg_reload_conf()");
    await query("select pg_backup_start('lab', true)");
    await copyData(primary.folder, folder);
    const [stopped] = await query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    await followPrimary(primary.server, toDataFolder(folder), stopped!.labelfile);
  });
  const standby = { folder, server: await startPostgres({ folder }) };
  await asSuperuser(primary, async (query) => {
    // Without a connected standby, a synchronous primary would let every commit wait.
    await waitForReplication(query, "state = 'streaming'");
    await query("alter system set synchronous_standby_names = '*'");
    await query("select pg_reload_conf()");
    await waitForReplication(query, "sync_state = 'sync'");
  });
  return standby;
}

/** Makes the standby a primary. It commits without a standby until it gets one. */
export async function promoteStandby(standby: DatabaseNode): Promise<void> {
  await asSuperuser(standby, (query) => query("select pg_promote()"));
}

export const toDataFolder = (folder: string): string => join(folder, "postgres/data");

/** Copies a running server's files without the write-ahead log, which the copy gets from elsewhere. */
export async function copyData(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true, maxRetries: 10 });
  await mkdir(to);
  // tar exits with 1 if a file changed while it was read. Replaying the log repairs such a copy.
  const script =
    'set -o pipefail; tar -C "$0" --exclude="postgres/data/pg_wal/*" --exclude=postmaster.pid --warning=no-file-changed -c postgres | tar -C "$1" -x || [ $? -eq 1 ]';
  await promisify(execFile)("bash", ["-c", script, from, to]);
}

async function followPrimary(primary: LocalPostgres, data: string, label: string): Promise<void> {
  const { password } = new URL(primary.url);
  const connection = `host=127.0.0.1 port=${primary.port} user=postgres password=${password}`;
  await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${connection}'\n`);
  const { uid, gid } = await stat(data);
  for (const [name, text] of [
    ["backup_label", label],
    ["standby.signal", ""],
  ] as const) {
    await writeFile(join(data, name), text);
    // PostgreSQL runs as another user if this process is root.
    await chown(join(data, name), uid, gid);
  }
}

type SuperuserQuery = <T>(text: string) => Promise<T[]>;

async function waitForReplication(query: SuperuserQuery, condition: string): Promise<void> {
  while ((await query(`select from pg_stat_replication where ${condition}`)).length === 0) await sleep(20);
}

export async function asSuperuser<T>(
  { server }: DatabaseNode,
  body: (query: SuperuserQuery) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: server.url });
  client.on("error", () => {});
  await client.connect();
  try {
    return await body(async <R>(text: string) => (await client.query(text)).rows as R[]);
  } finally {
    await client.end();
  }
}
