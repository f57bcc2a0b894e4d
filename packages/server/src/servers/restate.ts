import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createEngineConnection } from "../engine/restate/engine-connection.ts";
import { loadIdentityKey } from "./identity-key.ts";
import { findRestateBinary } from "./restate-binary.ts";
import type { ServerError } from "./server-error.ts";
import { prepareSocketFolder } from "./socket-folder.ts";
import { createAlreadyRunningError, type ServerExit, superviseServer } from "./supervise.ts";
import { waitUntilReady } from "./until-ready.ts";

export type LocalRestateOptions = {
  /** Keeps data and sockets (`restate/`), the identity key and the log. */
  folder: string;
  /** Data belongs to one node name for ever; sockets lie in a folder of that name. */
  nodeName?: string;
  /** Fixed for ever when the data is created. */
  partitions?: number;
  /** Further `RESTATE_…` variables; they win over ours. */
  env?: Record<string, string>;
};

export type LocalRestate = {
  /** `unix:` and the path of a socket, as for `adminUrl`. */
  ingressUrl: string;
  adminUrl: string;
  /** For the worker's `identityKeys`: with it the worker refuses everybody but this server. */
  publicKey: string;
  pid: number;
  exited: Promise<ServerExit>;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/**
 * Starts Restate as a single node and resolves when it answers. It ends when this process ends.
 *
 * [TRUST 26] Restate asks nobody for a login, so it listens on no port: only on sockets in a folder that no other user can enter.
 */
export async function startRestate(options: LocalRestateOptions): Promise<LocalRestate> {
  const folder = resolve(options.folder);
  const { nodeName = "paraph" } = options;
  await mkdir(join(folder, "restate"), { recursive: true, mode: 0o700 });
  // The folder may be older than this rule.
  await chmod(join(folder, "restate"), 0o700);
  const keyFile = `${folder}/restate-identity.pem`;
  const publicKey = await loadIdentityKey(keyFile);
  const base = await prepareSocketFolder(join(folder, "restate"), join(nodeName, "ingress.sock"));
  const socket = (name: string) => `unix:${join(base, nodeName, `${name}.sock`)}`;
  // Messages that do not fit into memory go here. Each start makes new folders, which the server never removes. Its own setting
  // for the place would have its partitions share one folder, and remove it when they start.
  const spill = join(base, "spill");
  await mkdir(spill, { recursive: true, mode: 0o700 });
  const earlier = await readdir(spill);
  const env = {
    TMPDIR: spill,
    ...buildRestateSettings({
      keyFile,
      nodeName,
      fabric: socket("fabric"),
      partitions: options.partitions ?? 2,
    }),
    ...options.env,
  };
  const server = await superviseServer({
    name: "restate",
    folder,
    command: findRestateBinary(),
    args: ["--no-logo", "--base-dir", base],
    env,
    stopSignal: "SIGTERM",
    graceMs: 3_000,
  });
  const [ingressUrl, adminUrl] = [socket("ingress"), socket("admin")];
  const answers = async () =>
    (await isOk(ingressUrl, "/restate/health")) && (await isOk(adminUrl, "/health"));
  await waitUntilReady("Restate", server, answers, (log) => explainRestateFailure(log, folder));
  // This server holds the lock on the data, so no other one uses them.
  await Promise.all(earlier.map((name) => rm(join(spill, name), { recursive: true, force: true })));
  const { pid, exited, stop, kill } = server;
  return { ingressUrl, adminUrl, publicKey, pid, exited, stop, kill };
}

interface RestateSettings {
  readonly keyFile: string;
  readonly nodeName: string;
  readonly fabric: string;
  readonly partitions: number;
}

function buildRestateSettings({
  keyFile,
  nodeName,
  fabric,
  partitions,
}: RestateSettings): Record<string, string> {
  return {
    // By default the machine's host name.
    RESTATE_NODE_NAME: nodeName,
    RESTATE_CLUSTER_NAME: "paraph",
    RESTATE_DEFAULT_NUM_PARTITIONS: String(partitions),
    RESTATE_LISTEN_MODE: "unix",
    RESTATE_ADVERTISED_ADDRESS: fabric,
    RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: keyFile,
    RESTATE_DISABLE_TELEMETRY: "true",
    DO_NOT_TRACK: "1",
    RESTATE_LOG_FORMAT: "compact",
    RESTATE_LOG_DISABLE_ANSI_CODES: "true",
    // The defaults claim about 5 GiB in all, too much for a laptop that runs other things as well.
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256MiB",
    RESTATE_WORKER__INVOKER__MEMORY_LIMIT: "256MiB",
    RESTATE_ADMIN__QUERY_ENGINE__MEMORY_SIZE: "128MiB",
    RESTATE_BIFROST__RECORD_CACHE_MEMORY_SIZE: "32MiB",
    // A stop waits this long for callers that are attached. Short, because a stop loses nothing: calls go on later.
    RESTATE_SHUTDOWN_TIMEOUT: "1s",
  };
}

function explainRestateFailure(log: string, folder: string): ServerError | undefined {
  return log.includes("db is locked") ? createAlreadyRunningError("restate", folder, undefined) : undefined;
}

async function isOk(url: string, path: string): Promise<boolean> {
  const connection = createEngineConnection(url, { timeoutMs: 1_000 });
  try {
    return (await connection.request("GET", path)).status === 200;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
