import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { LocalEngine, LocalParaph } from "@paraph/dev-servers/local";
import type { ParaphServer } from "@paraph/server";
import { type LocalRecord, readProcessStart, readRecord, writeRecord } from "@paraph/server/local-record";
import { findLocalServer } from "../../lib/api/connection.ts";
import { CliError } from "../../lib/cli-error.ts";
import {
  type Configuration,
  inspectConfiguration,
  readStartableConfiguration,
  workspaceFolder,
} from "../../lib/config/configuration.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { requireOwnAddress } from "../../lib/own-address.ts";
import { Application } from "./application.ts";
import { loadDevServers } from "./load-dev-servers.ts";

export interface DevOptions {
  readonly folder: string;
  readonly host?: string;
  /** Loads a changed configuration without a confirmation at the terminal. */
  readonly watch?: boolean;
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
  readonly local: LocalParaph;
  /** The digest of the configuration's files with which Paraph first started. */
  readonly digest: string;
  /** The running configuration. */
  readonly configuration: Configuration;
  readonly paraph: ParaphServer;
  /**
   * Drains and stops Paraph, and starts it with another configuration on the same address. The databases keep running.
   * If the start fails, Paraph starts with the previous configuration, and the error is thrown.
   */
  replace(next: Configuration): Promise<void>;
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
  await requireNotRunning(folder, context.environment);
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
    const application = started.add(
      await Application.start(context, options, { folder, configuration, local }),
    );
    const url = application.paraph.url!;
    const mark = (configuration: string) =>
      markRunning(dataFolder, context.environment, { url, postgres: local.postgres?.port, configuration });
    started.add(await mark(digest));
    return {
      ...{ folder, dataFolder, url, local, digest },
      get configuration() {
        return application.configuration;
      },
      get paraph() {
        return application.paraph;
      },
      async replace(next) {
        await application.replace(next);
        await mark((await inspectConfiguration(next, folder)).digest);
      },
      stop: () => started.stop(),
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/**
 * Refuses a second start in the same folder. The lock of PostgreSQL also prevents it, but its error names no address.
 * It remains for a Paraph that another user runs or that is still starting.
 */
async function requireNotRunning(folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  // A start writes a record that cannot be read again.
  const running = await findLocalServer(folder, environment).catch(() => undefined);
  if (running === undefined || dirname(running.folder) !== folder) return;
  throw new CliError(
    "already-running",
    `Paraph already runs here at ${running.url}. Use it, or stop it first with Ctrl-C in its terminal. For a second Paraph, use another folder.`,
  );
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
