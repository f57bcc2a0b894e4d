import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { get } from "node:http";
import { join, resolve } from "node:path";
import { loadIdentityKey } from "./identity-key.ts";
import { findRestateBinary } from "./restate-binary.ts";
import type { ServerError } from "./server-error.ts";
import { prepareSocketFolder } from "./socket-folder.ts";
import { createAlreadyRunningError, type ServerExit, superviseServer } from "./supervise.ts";
import { waitUntilReady } from "./until-ready.ts";

/** Options of `startRestate`. */
export type LocalRestateOptions = {
  /** The folder that contains the identity key, the log, and the subfolder `restate/` with data and sockets. */
  folder: string;
  /** The node name. Data belongs permanently to one node name, and the sockets are in a folder of that name. */
  nodeName?: string;
  /** The number of partitions, which is fixed permanently when the data is created. */
  partitions?: number;
  /** Further `RESTATE_…` variables, which override Paraph's settings. */
  env?: Record<string, string>;
};

/** A running local Restate server. */
export type LocalRestate = {
  /** The URL of the ingress, which is `unix:` followed by the path of a socket. `adminUrl` has the same form. */
  ingressUrl: string;
  adminUrl: string;
  /** The key for the worker's `identityKeys`. With it, the worker accepts requests only from this server. */
  publicKey: string;
  pid: number;
  exited: Promise<ServerExit>;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/**
 * Starts Restate as a single node and resolves when it answers. It stops when this process ends.
 *
 * [TRUST 26] Restate has no authentication, so it listens on no port. It listens only on sockets in a folder that no
 * other user can enter.
 */
export async function startRestate(options: LocalRestateOptions): Promise<LocalRestate> {
  const folder = resolve(options.folder);
  const { nodeName = "paraph" } = options;
  await mkdir(join(folder, "restate"), { recursive: true, mode: 0o700 });
  // An earlier version may have created the folder with another mode.
  await chmod(join(folder, "restate"), 0o700);
  const keyFile = `${folder}/restate-identity.pem`;
  const publicKey = await loadIdentityKey(keyFile);
  const base = await prepareSocketFolder(join(folder, "restate"), join(nodeName, "ingress.sock"));
  const socket = (name: string) => `unix:${join(base, nodeName, `${name}.sock`)}`;
  // Restate uses this folder for messages that do not fit into memory. Each start creates new subfolders, which Restate
  // never removes. If Paraph used Restate's own setting for the folder instead, the partitions would share one folder
  // and remove it when they start.
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
  // Deletes the subfolders of earlier starts. No other server uses them, because this server holds the lock on the
  // data.
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
    // Paraph sets the node name, because Restate's default is the machine's host name.
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
    // Restate's defaults reserve about 5 GiB in total, which is too much for a laptop that also runs other programs.
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256MiB",
    RESTATE_WORKER__INVOKER__MEMORY_LIMIT: "256MiB",
    RESTATE_ADMIN__QUERY_ENGINE__MEMORY_SIZE: "128MiB",
    RESTATE_BIFROST__RECORD_CACHE_MEMORY_SIZE: "32MiB",
    // A stop waits this long for attached callers. The time is short, because a stop loses nothing and calls continue
    // later.
    RESTATE_SHUTDOWN_TIMEOUT: "1s",
  };
}

function explainRestateFailure(log: string, folder: string): ServerError | undefined {
  return log.includes("db is locked") ? createAlreadyRunningError("restate", folder, undefined) : undefined;
}

function isOk(url: string, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { socketPath: url.slice("unix:".length), path, signal: AbortSignal.timeout(1_000) };
    get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });
}
