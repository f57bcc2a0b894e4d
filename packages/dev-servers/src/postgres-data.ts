import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { takeLastLines } from "./log-file.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import type { SystemUser } from "./postgres-user.ts";
import { isRunning } from "./process-check.ts";
import { ServerError } from "./server-error.ts";

export type PostgresData = { data: string; password: string };

/** Returns the folder of PostgreSQL's files inside a caller's folder. */
export function toPostgresFolder(folder: string): string {
  return `${folder}/postgres`;
}

/**
 * Returns the database cluster in `folder`, and creates it at the first start. The cluster is created in a draft folder
 * and renamed when complete. A crash or a second process therefore never leaves half a cluster, and data and password
 * always match.
 */
export async function initialiseCluster(
  folder: string,
  binaries: PostgresBinaries,
  user: SystemUser | undefined,
  durable: boolean,
): Promise<PostgresData> {
  const final = toPostgresFolder(folder);
  if (!(await exists(final))) {
    await removeAbandonedDrafts(folder);
    const draft = `${final}.draft-${process.pid}-${randomBytes(4).toString("hex")}`;
    await createCluster(draft, binaries.initdb, user, durable);
    await rename(draft, final).catch(async (error: NodeJS.ErrnoException) => {
      await rm(draft, { recursive: true, force: true });
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
    await syncFolder(folder);
  }
  return { data: `${final}/data`, password: await readFile(`${final}/password`, "utf8") };
}

async function createCluster(
  draft: string,
  initdb: string,
  user: SystemUser | undefined,
  durable: boolean,
): Promise<void> {
  const passwordFile = `${draft}/password`;
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  if (user) await Promise.all([draft, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  const args = [
    `--pgdata=${draft}/data`,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // The next options select PostgreSQL's builtin locale C.UTF-8, which sorts identically on every system. A locale of
    // the operating system may not exist everywhere.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    ...(durable ? [] : ["--no-sync"]),
  ];
  try {
    await promisify(execFile)(initdb, args, {
      cwd: "/",
      env: { PATH: process.env.PATH },
      ...toUserIds(user),
    });
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    const output = takeLastLines(stdout + stderr) || message;
    throw new ServerError(
      "start-failed",
      `PostgreSQL could not create its data in \`${draft}\`. Fix the cause that PostgreSQL reports, then start again:\n${output}`,
      {
        cause: error,
      },
    );
  }
}

async function removeAbandonedDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^postgres\.draft-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(`${folder}/${name}`, { recursive: true, force: true });
  }
}

/** Flushes the folder to disk, so that a rename in it survives a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

function toUserIds(user: SystemUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
