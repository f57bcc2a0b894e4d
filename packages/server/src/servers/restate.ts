import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { identityKey } from "./identity-key.ts";
import { freePort, requireFree, withFreshPorts } from "./ports.ts";
import { restateBinary } from "./restate-binary.ts";
import { ServerError } from "./server-error.ts";
import { alreadyRunning, type ServerExit, supervise } from "./supervise.ts";
import { untilReady } from "./until-ready.ts";

export type RestatePorts = { ingress: number; admin: number; node: number };

export type RestateOptions = {
  /** Keeps data (`restate/`), the identity key and the log. Data may come back on other ports. */
  folder: string;
  ports?: RestatePorts;
  /** Fixed for ever when the data is created. */
  partitions?: number;
  /** Further `RESTATE_…` variables; they win over ours. */
  env?: Record<string, string>;
};

export type LocalRestate = {
  ingressUrl: string;
  adminUrl: string;
  /** For the worker's `identityKeys`: with it the worker refuses everybody but this server. */
  publicKey: string;
  ports: RestatePorts;
  pid: number;
  exited: Promise<ServerExit>;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts Restate as a single node on 127.0.0.1 and resolves when it answers. It ends when this process ends. */
export async function startRestate(options: RestateOptions): Promise<LocalRestate> {
  const folder = resolve(options.folder);
  // Journals hold what calls carry: nobody else may read them, even where the folder may be entered.
  await mkdir(`${folder}/restate`, { recursive: true, mode: 0o700 });
  const keyFile = `${folder}/restate-identity.pem`;
  const publicKey = await identityKey(keyFile);
  const command = restateBinary();
  const start = async (ports: RestatePorts): Promise<LocalRestate> => {
    const env = { ...settings(ports, keyFile, options.partitions ?? 2), ...options.env };
    return { publicKey, ports, ...(await run(command, folder, ports, env)) };
  };
  return options.ports ? start(options.ports) : withFreshPorts(async () => start(await freePorts()));
}

type Running = Omit<LocalRestate, "publicKey" | "ports">;

async function run(
  command: string,
  folder: string,
  ports: RestatePorts,
  env: Record<string, string>,
): Promise<Running> {
  await requireFree(Object.values(ports));
  const ingressUrl = `http://127.0.0.1:${ports.ingress}`;
  const adminUrl = `http://127.0.0.1:${ports.admin}`;
  const server = await supervise({
    name: "restate",
    folder,
    command,
    args: ["--no-logo", "--base-dir", `${folder}/restate`],
    env,
    stopSignal: "SIGTERM",
    graceMs: 3_000,
  });
  const answers = async () =>
    (await isOk(`${ingressUrl}/restate/health`)) && (await isOk(`${adminUrl}/health`));
  await untilReady("Restate", server, answers, (log) => explain(log, folder, ports));
  const { pid, exited, stop, kill } = server;
  return { ingressUrl, adminUrl, pid, exited, stop, kill };
}

function settings(ports: RestatePorts, keyFile: string, partitions: number): Record<string, string> {
  return {
    // By default the machine's host name, but data belongs to one node name for ever.
    RESTATE_NODE_NAME: "paraph",
    RESTATE_CLUSTER_NAME: "paraph",
    RESTATE_DEFAULT_NUM_PARTITIONS: String(partitions),
    // Without `tcp` it also listens on unix sockets; without the address on all interfaces.
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_ADVERTISED_HOST: "127.0.0.1",
    RESTATE_BIND_PORT: String(ports.node),
    RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
    RESTATE_ADMIN__BIND_PORT: String(ports.admin),
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

function explain(log: string, folder: string, ports: RestatePorts): ServerError | undefined {
  if (/Address (already )?in use/.test(log)) {
    const list = Object.values(ports).join(", ");
    return new ServerError(
      "port-in-use",
      `Restate could not bind its ports (${list} on 127.0.0.1): one is in use.`,
    );
  }
  if (log.includes("db is locked")) return alreadyRunning("restate", folder, undefined);
  return undefined;
}

async function freePorts(): Promise<RestatePorts> {
  return { ingress: await freePort(), admin: await freePort(), node: await freePort() };
}

async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
