import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type Config,
  createLog,
  type DeploymentSigner,
  openConfiguredSigner,
  readRestateAddress,
  startParaph,
} from "@paraph/server";
import { CliError, usageError } from "../../lib/cli-error.ts";
import { readConfiguration } from "../../lib/config/configuration.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { explainPortInUse } from "../../lib/port-in-use.ts";
import { waitForAbort } from "../../lib/terminal/wait-for-abort.ts";
import { openSigner } from "./signing-key.ts";

export interface StartOptions {
  readonly folder: string;
  readonly role: "api" | "worker" | "all";
  readonly host?: string;
  readonly port?: number;
  readonly signingKey?: string;
  readonly createSigningKey?: boolean;
  /** In seconds. */
  readonly drain?: number;
  readonly verbose?: boolean;
  readonly allowRoot?: boolean;
}

export const defaultPort = 7411;

/**
 * Runs one process of Paraph until a signal. It creates no database, no people and no keys, and keeps nothing in the
 * folder of the configuration.
 */
export async function runStart(context: Context, options: StartOptions): Promise<ExitCode> {
  context.takeTime();
  const { environment, signal, version } = context;
  requirePlainUser(options);
  const folder = resolve(context.folder, options.folder);
  const { config, source, file } = await readConfiguration(folder);
  if (file === undefined)
    throw new CliError(
      "no-configuration",
      `There is no \`paraph.config.ts\` in \`${folder}\`. Write one, or name its folder with \`--folder\`.`,
    );
  const databaseUrl = environment.DATABASE_URL;
  if (!databaseUrl)
    throw new CliError(
      "no-database",
      "DATABASE_URL is not set. Set it to the URL of your PostgreSQL database, with the login that `paraph migrate` created.",
    );
  const restate = readRestateAddress(environment);
  const log = createLog({ level: options.verbose ? "debug" : "info", env: environment });
  log("info", "starting", {});
  const signer = await openDeploymentSigner(config, { folder, environment, log }, options);
  if (environment.DATABASE_OWNER_URL) log("warn", "owner-login-present", {});
  const paraph = await startParaph({
    config,
    source,
    folder,
    databaseUrl,
    restate,
    signer,
    publicKeys: signer.publicKeys,
    roles: options.role === "all" ? ["api", "worker"] : [options.role],
    http: {
      host: options.host ?? config.http?.host ?? "127.0.0.1",
      port: options.port ?? config.http?.port ?? defaultPort,
      tls: await readCertificate(config, folder),
    },
    log,
    version,
    allowDowngrade: environment.PARAPH_ALLOW_DOWNGRADE === "1",
    ...(options.drain !== undefined && { maxDrainMs: options.drain * 1_000 }),
  }).catch(explainPortInUse);
  if (context.json)
    context.output.json({
      role: options.role,
      url: paraph.url,
      metrics: paraph.metricsUrl,
      pid: process.pid,
    });
  await waitForAbort(signal);
  log("info", "stopping", {});
  await paraph.stop();
  await signer.close?.();
  log("info", "stopped", {});
  return exitCode.ok;
}

/** Opens the signer of the configuration, or else the key file. */
async function openDeploymentSigner(
  config: Config,
  context: Parameters<typeof openConfiguredSigner>[1],
  options: StartOptions,
): Promise<DeploymentSigner> {
  const named = config.signer ? "signer" : config.vault?.signing ? "vault.signing" : undefined;
  if (named !== undefined && (options.signingKey !== undefined || options.createSigningKey))
    throw usageError(
      `The configuration has \`${named}\`, so there is no key file. Remove \`--signing-key\` and \`--create-signing-key\`.`,
    );
  return (await openConfiguredSigner(config, context)) ?? openSigner(context.environment, options);
}

/** Programs that adapters start have the rights of this process, so it refuses to run as root. */
function requirePlainUser({ allowRoot }: StartOptions): void {
  if (process.getuid?.() !== 0 || allowRoot) return;
  throw new CliError(
    "runs-as-root",
    "`paraph start` does not run as root, because programs that adapters start would have all rights. Run it as a user of its own. In a container that isolates the process, pass `--allow-root`.",
  );
}

async function readCertificate({ http }: Config, folder: string) {
  if (!http?.tls) return undefined;
  const read = (file: string) =>
    readFile(resolve(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
      throw new CliError(
        "config-invalid",
        `\`http.tls\`: \`${resolve(folder, file)}\` cannot be read (${error.code}). Check the path and the rights of the file.`,
      );
    });
  return { certificate: await read(http.tls.certificate), key: await read(http.tls.key) };
}
