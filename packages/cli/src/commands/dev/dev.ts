import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { LocalEngine, LocalParaph } from "@paraph/dev-servers/local";
import { createLog, type ParaphServer, startParaph } from "@paraph/server";
import {
  findRecordFile,
  type LocalRecord,
  readProcessStart,
  readRecord,
  writeRecord,
} from "@paraph/server/local-record";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { findLocalServer, type ServerConnection } from "../../lib/api/connection.ts";
import { hasUnusedConfiguration } from "../../lib/api/policy-source.ts";
import { CliError } from "../../lib/cli-error.ts";
import {
  type Configuration,
  inspectConfiguration,
  readStartableConfiguration,
  workspaceFolder,
} from "../../lib/config/configuration.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { explainPortInUse } from "../../lib/port-in-use.ts";
import { waitForAbort } from "../../lib/terminal/wait-for-abort.ts";
import { loadDevServers } from "./load-dev-servers.ts";
import { printReady } from "./ready.ts";
import { createSpinner } from "./spinner.ts";

export interface DevOptions {
  readonly folder: string;
  readonly port?: number;
  readonly verbose?: boolean;
  readonly adopt?: boolean | undefined;
  readonly engine?: LocalEngine;
}

/** Starts everything for one folder, and runs until Ctrl-C or until a server dies. */
export async function runDev(context: Context, options: DevOptions): Promise<ExitCode> {
  context.takeTime();
  const { output, signal } = context;
  const folder = resolve(context.folder, options.folder);
  const dataFolder = join(folder, dataFolderName);
  const progress = createSpinner(output);
  const started = new StartedParts();
  try {
    progress.step("loading the configuration");
    const configuration = await readStartableConfiguration(folder, context.environment);
    const { digest } = await inspectConfiguration(configuration, folder);
    const { requireFreePorts, startLocal } = await loadDevServers();
    await requireFreePorts(await listWantedPorts(options.port, dataFolder, context.environment));
    if (configuration.file === undefined) await mkdir(join(folder, workspaceFolder), { recursive: true });
    const local = started.add(
      await startLocal(dataFolder, context.environment, {
        progress: progress.step,
        adopt: options.adopt,
        engine: options.engine,
      }),
    );
    progress.step("starting Paraph");
    const paraph = started.add(await startServer(context, options, { folder, configuration, local }));
    const url = paraph.url!;
    const running = { url, postgres: local.postgres?.port, configuration: digest };
    started.add(await markRunning(dataFolder, context.environment, running));
    progress.stop();

    const login = await paraph.createLoginLink(local.tenant, local.owner);
    const keyFile = await findRecordFile(dataFolder, context.environment);
    const troubled = (await paraph.listAdapters(signal)).filter(({ state }) => state !== "ready");
    const isPolicyUnused = await hasUnusedConfiguration(connectAsOwner(folder, context), signal);

    // Measures from the start of the process, because loading the program is part of the wait.
    const tookMs = performance.now();
    if (context.json)
      output.json({
        url,
        docs: `${url}/docs`,
        ...(login !== undefined && { login }),
        folder,
        dataFolder,
        pid: process.pid,
        ...listByState("unavailable", troubled),
        ...listByState("degraded", troubled),
        tookMs: Math.round(tookMs),
      });
    else if (!signal.aborted)
      printReady(
        { url, login, folder, dataFolder, keyFile, configuration, troubled, isPolicyUnused, tookMs },
        output,
      );
    const died = await Promise.race([waitForAbort(signal), waitForServerDeath(local)]);
    if (died !== undefined)
      throw new CliError(
        "server-died",
        `${died}. Check the logs in \`${dataFolder}\`, then run \`paraph dev\` again.`,
      );
    output.info("Stopping …");
  } finally {
    progress.stop();
    await started.stop();
  }
  output.info("Stopped.");
  return exitCode.ok;
}

/** Returns the adapters in this state under the name of the state, or nothing if there are none. */
function listByState(wanted: AdapterView["state"], adapters: readonly AdapterView[]) {
  const found = adapters.filter(({ state }) => state === wanted);
  return found.length > 0 && { [wanted]: found.map(({ name, message }) => ({ name, message })) };
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
    http: { port: options.port ?? local.ports.http },
    worker: { port: local.ports.worker },
    log: createLog({ level: options.verbose ? "debug" : "warn", env: context.environment }),
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

function waitForServerDeath({ postgres, restateServer }: LocalParaph): Promise<string> {
  const never = new Promise<never>(() => {});
  const end = (name: string, exited: Promise<{ code: number | null; signal: string | null }> | undefined) =>
    exited?.then(({ code, signal }) => `${name} ended unexpectedly (${signal ?? `exit code ${code}`})`) ??
    never;
  return Promise.race([end("PostgreSQL", postgres?.exited), end("Restate", restateServer?.exited)]);
}

/** Returns the connection to the server that this command has started, regardless of the environment's address. */
async function connectAsOwner(folder: string, { environment }: Context): Promise<ServerConnection> {
  const { url, person } = (await findLocalServer(folder, environment))!;
  return { url, key: person };
}
