import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { LocalEngine, LocalParaph } from "@paraph/dev-servers/local";
import { createLog, type ParaphServer, startParaph } from "@paraph/server";
import { type LocalRecord, readProcessStart, readRecord, writeRecord } from "@paraph/server/local-record";
import {
  type Configuration,
  inspectConfiguration,
  readStartableConfiguration,
  workspaceFolder,
} from "../../lib/config/configuration.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { isLoopback, requireOwnAddress } from "../../lib/own-address.ts";
import { explainPortInUse } from "../../lib/port-in-use.ts";
import { loadDevServers } from "./load-dev-servers.ts";

export interface DevOptions {
  readonly folder: string;
  readonly host?: string;
  readonly port?: number;
  readonly verbose?: boolean;
  readonly adopt?: boolean | undefined;
  readonly engine?: LocalEngine;
}

/** Paraph and its servers, started for one folder. */
export interface LocalServer {
  readonly folder: string;
  readonly dataFolder: string;
  readonly url: string;
  readonly configuration: Configuration;
  readonly local: LocalParaph;
  readonly paraph: ParaphServer;
  stop(): Promise<void>;
}

/** Starts Paraph and its servers for one folder. If a part fails to start, stops the parts that have started. */
export async function startLocalServer(
  context: Context,
  options: DevOptions,
  progress: (text: string) => void,
): Promise<LocalServer> {
  const folder = resolve(context.folder, options.folder);
  const dataFolder = join(folder, dataFolderName);
  if (options.host !== undefined) requireOwnAddress(options.host);
  const started = new StartedParts();
  try {
    progress("loading the configuration");
    const configuration = await readStartableConfiguration(folder, context.environment);
    const { digest } = await inspectConfiguration(configuration, folder);
    const { requireFreePorts, startLocal } = await loadDevServers();
    await requireFreePorts(await listWantedPorts(options.port, dataFolder, context.environment));
    if (configuration.file === undefined) await mkdir(join(folder, workspaceFolder), { recursive: true });
    const local = started.add(
      await startLocal(dataFolder, context.environment, {
        progress,
        adopt: options.adopt,
        engine: options.engine,
      }),
    );
    progress("starting Paraph");
    const paraph = started.add(await startServer(context, options, { folder, configuration, local }));
    const url = paraph.url!;
    const running = { url, postgres: local.postgres?.port, configuration: digest };
    started.add(await markRunning(dataFolder, context.environment, running));
    return { folder, dataFolder, url, configuration, local, paraph, stop: () => started.stop() };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** Records the running server, so that the command line can find it. */
async function markRunning(
  folder: string,
  environment: NodeJS.ProcessEnv,
  about: Pick<NonNullable<LocalRecord["running"]>, "url" | "postgres" | "configuration">,
): Promise<{ stop(): Promise<void> }> {
  const record = await readRecord(folder, environment);
  if (!record) throw new Error("`paraph dev` has no record of this folder.");
  const { pid } = process;
  const running = { ...about, pid, started: readProcessStart(pid) };
  await writeRecord(folder, environment, { ...record, running });
  return { stop: () => writeRecord(folder, environment, record) };
}

async function startServer(
  context: Context,
  options: DevOptions,
  { folder, configuration, local }: { folder: string; configuration: Configuration; local: LocalParaph },
): Promise<ParaphServer> {
  return startParaph({
    config: configuration.config,
    source: configuration.source,
    folder,
    databaseUrl: local.databaseUrl,
    restate: local.restate,
    signer: local.signer,
    publicKeys: local.publicKeys,
    http: {
      port: options.port ?? local.ports.http,
      ...(options.host !== undefined && { host: options.host, allowsPlainLogin: !isLoopback(options.host) }),
    },
    worker: { port: local.ports.worker },
    log: createLog({
      level: options.verbose ? "debug" : "warn",
      pretty: !context.json,
      env: context.environment,
    }),
    version: context.version,
    allowDowngrade: context.environment.PARAPH_ALLOW_DOWNGRADE === "1",
  }).catch(explainPortInUse);
}

/**
 * Returns the port that must be free before any server starts. It is the given port, or else the recorded port. If
 * Paraph already runs in this folder, the recorded port does not count, because the servers themselves detect and
 * report the running Paraph.
 */
async function listWantedPorts(
  port: number | undefined,
  dataFolder: string,
  environment: NodeJS.ProcessEnv,
): Promise<readonly number[]> {
  const record = await readRecord(dataFolder, environment);
  const wanted = port ?? (record && !record.running ? Number(new URL(record.url).port) : undefined);
  return wanted ? [wanted] : [];
}

/**
 * The parts that have started. `stop` stops them in reverse order, and throws the first failure after it has stopped
 * all of them.
 */
class StartedParts {
  readonly #parts: { stop(): Promise<void> }[] = [];

  add<T extends { stop(): Promise<void> }>(part: T): T {
    this.#parts.push(part);
    return part;
  }

  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (const part of this.#parts.splice(0).reverse())
      await part.stop().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
