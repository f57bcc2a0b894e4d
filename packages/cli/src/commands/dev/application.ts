import type { LocalParaph } from "@paraph/dev-servers/local";
import { createLog, type ParaphServer, startParaph } from "@paraph/server";
import { CliError } from "../../lib/cli-error.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Context } from "../../lib/context.ts";
import { isLoopback } from "../../lib/own-address.ts";
import { explainPortInUse } from "../../lib/port-in-use.ts";
import type { CliOutput } from "../../lib/terminal/output.ts";
import type { DevOptions } from "./local-server.ts";

interface ApplicationParts {
  readonly folder: string;
  readonly configuration: Configuration;
  readonly local: LocalParaph;
  readonly adapterStartTimeoutMs?: number;
}

/**
 * The time for which a replacement waits for each adapter. It is short, because no server answers in the meantime. A slower
 * adapter opens in the background.
 */
const replacementTimeoutMs = 2_000;

/** The code of the error if Paraph starts with neither configuration. */
export const restartFailed = "restart-failed";

type StartParaph = (configuration: Configuration) => Promise<ParaphServer>;

/** Paraph without its databases. It can be replaced by one with another configuration. */
export class Application {
  paraph: ParaphServer;
  configuration: Configuration;
  readonly #start: StartParaph;

  private constructor(paraph: ParaphServer, configuration: Configuration, start: StartParaph) {
    this.paraph = paraph;
    this.configuration = configuration;
    this.#start = start;
  }

  static async start(context: Context, options: DevOptions, parts: ApplicationParts): Promise<Application> {
    const paraph = await startServer(context, options, parts);
    const again = { ...options, port: Number(new URL(paraph.url!).port) };
    return new Application(paraph, parts.configuration, (configuration) =>
      startServer(context, again, { ...parts, configuration, adapterStartTimeoutMs: replacementTimeoutMs }),
    );
  }

  async replace(next: Configuration): Promise<void> {
    await this.stop();
    try {
      this.paraph = await this.#start(next);
      this.configuration = next;
    } catch (error) {
      this.paraph = await this.#start(this.configuration).catch((cause: Error) => {
        throw new CliError(restartFailed, `Paraph did not start again: ${cause.message}`, { cause });
      });
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.paraph.stop();
  }
}

function startServer(
  context: Context,
  options: DevOptions,
  { folder, configuration, local, adapterStartTimeoutMs }: ApplicationParts,
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
      ...(context.output.isInteractive && { destination: createLogDestination(context.output) }),
    }),
    adapterStartTimeoutMs,
    version: context.version,
    allowDowngrade: context.environment.PARAPH_ALLOW_DOWNGRADE === "1",
  }).catch(explainPortInUse);
}

/** Writes log lines to the terminal, and clears the line of the progress first. */
function createLogDestination(output: CliOutput) {
  return {
    write: (text: string) => {
      output.status("");
      process.stderr.write(text);
    },
    isTTY: true,
  };
}
