import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { findFreePort, requireFreePorts, retryWithFreshPorts } from "./ports.ts";
import { preparePostgresBinaries } from "./postgres-binaries.ts";
import { initialiseCluster, type PostgresData, toPostgresFolder } from "./postgres-data.ts";
import { allowTraversal, findPostgresUser, requireTraversable, type SystemUser } from "./postgres-user.ts";
import { ServerError } from "./server-error.ts";
import { replaceStalePid } from "./stale-pid.ts";
import { createAlreadyRunningError, type ServerExit, superviseServer } from "./supervise.ts";
import { waitUntilReady } from "./until-ready.ts";

const lingeringSessionText = "pre-existing shared memory block";

/** Options of `startPostgres`. */
export type LocalPostgresOptions = {
  /** The folder of data, password and log. A later start with the same folder opens the same database. */
  folder: string;
  port?: number;
  /**
   * Whether commits are durable. `false` is faster and only for tests. A power failure may then destroy the data. Even
   * a crash of the server loses the last commits, including acknowledged ones. A test that kills the server needs
   * `true`.
   */
  durable?: boolean;
  /** More settings of the server, by name. They replace the settings that this function chooses. */
  settings?: Readonly<Record<string, string>>;
};

/** A running local PostgreSQL server. */
export type LocalPostgres = {
  /** The URL of the superuser, who bypasses row-level security. Use it to create roles and databases. */
  url: string;
  port: number;
  pid: number;
  exited: Promise<ServerExit>;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts PostgreSQL on 127.0.0.1 and resolves when the server answers. The server stops when this process ends. */
export async function startPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const folder = resolve(options.folder);
  const durable = options.durable ?? true;
  await mkdir(folder, { recursive: true });
  const binaries = await preparePostgresBinaries();
  const user = await findPostgresUser(toPostgresFolder(folder));
  if (user) await grantFolderAccess(user, folder, binaries.postgres);
  const cluster = await initialiseCluster(folder, binaries, user, durable);
  const start = (port: number) =>
    retryAfterLastSession(() =>
      runPostgres({ folder, port, durable, settings, command: binaries.postgres, user, cluster }),
    );
  const { port, settings = {} } = options;
  return port === undefined ? retryWithFreshPorts(async () => start(await findFreePort())) : start(port);
}

async function grantFolderAccess(user: SystemUser, folder: string, binary: string): Promise<void> {
  await allowTraversal(folder);
  await requireTraversable(folder, user);
  await requireTraversable(binary, user);
}

type PostgresRun = {
  folder: string;
  port: number;
  durable: boolean;
  settings: Readonly<Record<string, string>>;
  command: string;
  user: SystemUser | undefined;
  cluster: PostgresData;
};

async function runPostgres(order: PostgresRun): Promise<LocalPostgres> {
  const { folder, port, durable, settings, command, user, cluster } = order;
  await requireFreePorts([port]);
  await replaceStalePid(cluster.data);
  const server = await superviseServer({
    name: "postgres",
    folder,
    command,
    args: [
      "-D",
      cluster.data,
      ...[...buildPostgresSettings(port, durable), ...formatSettings(settings)].flatMap((setting) => [
        "-c",
        setting,
      ]),
    ],
    ...(user && { user: { uid: user.uid, gid: user.gid } }),
    // SIGINT is PostgreSQL's fast shutdown. SIGTERM would wait for every client to disconnect.
    stopSignal: "SIGINT",
    graceMs: 5_000,
  });
  const url = `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`;
  await waitUntilReady(
    "PostgreSQL",
    server,
    () => canConnect(url),
    (log) => explainPostgresFailure(log, folder, port),
  );
  const { pid, exited, stop, kill } = server;
  return { url, port, pid, exited, stop, kill };
}

function buildPostgresSettings(port: number, durable: boolean): string[] {
  const durability = durable ? "on" : "off";
  return [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=200",
    `fsync=${durability}`,
    `synchronous_commit=${durability}`,
    `full_page_writes=${durability}`,
    "logging_collector=off",
  ];
}

const formatSettings = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`);

/** The time for which a start waits for the sessions of a killed server to end. */
const maxLingeringMs = 30_000;

/**
 * Retries while sessions of a killed server are still running, because PostgreSQL does not start until they end. The
 * time counts from the first failure, because a start alone can take long on a busy machine.
 */
async function retryAfterLastSession<T>(start: () => Promise<T>): Promise<T> {
  let deadline: number | undefined;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const lingering = error instanceof ServerError && error.message.includes(lingeringSessionText);
      deadline ??= performance.now() + maxLingeringMs;
      if (!lingering || performance.now() > deadline) throw error;
    }
    await delay(100);
  }
}

function explainPostgresFailure(log: string, folder: string, port: number): ServerError | undefined {
  if (log.includes("could not bind")) {
    return new ServerError(
      "port-in-use",
      `PostgreSQL could not bind port ${port} on 127.0.0.1, because another process uses it. Stop that process, or choose another port.`,
    );
  }
  const pid = /PID (\d+)\) running in data directory/.exec(log)?.[1];
  return pid === undefined ? undefined : createAlreadyRunningError("postgres", folder, Number(pid));
}

async function canConnect(url: string): Promise<boolean> {
  // `ssl` is explicit, because PGSSLMODE in the caller's environment would otherwise decide.
  const client = new Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 1_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
