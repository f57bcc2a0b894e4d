import { dirname, join, resolve } from "node:path";
import { type Config, type DatabaseInspection, inspectDatabase } from "@paraph/server";
import { CliError } from "../../../lib/cli-error.ts";
import { readStartableConfiguration } from "../../../lib/config/configuration.ts";
import type { Context } from "../../../lib/context.ts";
import { explainDatabase } from "../../start/owner-database.ts";
import { defaultPort } from "../../start/start.ts";
import { fetchServerStatus } from "../server-status.ts";
import type { AddressFacts } from "./address-checks.ts";
import type { ApiFacts } from "./api-checks.ts";
import { fetchCertificate, readOwnCertificate } from "./certificate.ts";
import type { DatabaseFacts } from "./database-facts.ts";
import type { DatabaseDisk, FreeSpace } from "./disk-checks.ts";
import { readFreeSpace } from "./free-space.ts";
import type { HostFacts, SecretFiles } from "./host-checks.ts";
import { readNtp } from "./ntp.ts";
import type { Facts } from "./production-check.ts";
import { readSecretFiles } from "./secret-files.ts";
import { fetchSigningKeyId } from "./server-key.ts";
import type { SigningKeyFacts } from "./signing-key-checks.ts";
import { readSigningKey } from "./signing-key-facts.ts";

export interface ProductionOptions {
  /** The folder of the configuration (default: the current folder). */
  readonly folder?: string;
  readonly signingKey?: string;
  /** The URL of the database with a login that may see more statistics. */
  readonly database?: string;
}

/** Everything that the checks judge. */
export interface ProductionFacts {
  readonly configuration: Facts<Config>;
  /** The parts of the inspection, or the reason why there is no connection. */
  readonly connection: Facts<DatabaseInspection>;
  readonly host: HostFacts;
  readonly secretFiles: SecretFiles;
  readonly signingKey: SigningKeyFacts;
  readonly addresses: Facts<AddressFacts>;
  readonly stateDisk: readonly FreeSpace[];
  readonly databaseDisk: Facts<DatabaseDisk>;
  readonly isSynchronised: boolean | undefined;
  readonly api: ApiFacts;
}

/** Reads the facts about an installation of `paraph start` on this host. It changes nothing. */
export async function readProductionFacts(
  context: Context,
  options: ProductionOptions,
): Promise<ProductionFacts> {
  const { environment, signal } = context;
  const folder = resolve(context.folder, options.folder ?? ".");
  const configuration = await readFacts(() => readConfigured(folder, environment));
  const connection = await readFacts(() => inspect(environment.DATABASE_URL, options.database));
  const config = "value" in configuration ? configuration.value : undefined;
  const url = context.url ?? environment.PARAPH_URL ?? findApiUrl(config);
  const key = readSigningKey(environment, options.signingKey);
  const connections = pickPart(connection, "connections");
  return {
    configuration,
    connection,
    host: { isRoot: process.getuid?.() === 0, hasOwnerLogin: Boolean(environment.DATABASE_OWNER_URL) },
    secretFiles: readSecretFiles(folder, config),
    signingKey: {
      ...key,
      isElsewhere: config?.signer !== undefined || config?.vault?.signing !== undefined,
      serverKeyId: await fetchSigningKeyId(url, signal),
      hosts: "value" in connections ? connections.value.hosts : undefined,
    },
    addresses: config ? { value: await readAddresses(config, folder) } : missingConfiguration,
    stateDisk: await readFreeSpace([
      ...(key.file === undefined ? [] : [dirname(key.file)]),
      ...[folder, join(folder, ".paraph")],
    ]),
    databaseDisk: await readDatabaseDisk(pickPart(connection, "storage"), pickPart(connection, "encryption")),
    isSynchronised: await readNtp(environment),
    api: { url, status: await fetchServerStatus(url, signal) },
  };
}

const missingConfiguration = { unreadable: "the configuration cannot be read" };

/** Returns one part of the inspection. Without a connection, it is missing. */
export function pickPart<P extends keyof DatabaseInspection>(
  connection: Facts<DatabaseInspection>,
  part: P,
): Facts<DatabaseFacts<P>> {
  if (!("value" in connection)) return { unreadable: "no connection to PostgreSQL" };
  return connection.value[part] as Facts<DatabaseFacts<P>>;
}

async function readFacts<T>(read: () => Promise<T>): Promise<Facts<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { unreadable: (error as Error).message };
  }
}

async function readConfigured(folder: string, environment: NodeJS.ProcessEnv): Promise<Config> {
  const { config, file } = await readStartableConfiguration(folder, environment);
  if (file !== undefined) return config;
  throw new CliError("no-configuration", `there is no \`paraph.config.ts\` in ${folder}`);
}

async function inspect(url: string | undefined, statisticsUrl: string | undefined) {
  if (!url) throw new CliError("no-database", "DATABASE_URL is not set");
  return inspectDatabase(url, { statisticsUrl }).catch(explainDatabase(url));
}

/** The public address also shows whether the proxy reaches Paraph. */
function findApiUrl(config: Config | undefined): string {
  if (config?.identity?.url !== undefined) return config.identity.url;
  const { host = "127.0.0.1", port = defaultPort, tls } = config?.http ?? {};
  const reachable = /^(0\.0\.0\.0|\[?::\]?)$/.test(host) ? "127.0.0.1" : host;
  return `${tls ? "https" : "http"}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

async function readAddresses(config: Config, folder: string): Promise<AddressFacts> {
  const publicUrl = config.identity?.url;
  return {
    publicUrl,
    publicCertificate: publicUrl?.startsWith("https:") ? await fetchCertificate(publicUrl) : undefined,
    ownCertificate: readOwnCertificate(config, folder),
    now: Date.now(),
  };
}

/** The folder of the data says something about this host only if PostgreSQL runs here. */
async function readDatabaseDisk(
  storage: Facts<DatabaseFacts<"storage">>,
  encryption: Facts<DatabaseFacts<"encryption">>,
): Promise<Facts<DatabaseDisk>> {
  if (!("value" in storage)) return storage;
  const { databaseBytes, dataFolder } = storage.value;
  const isHere = "value" in encryption && encryption.value.path !== "network";
  const [space] = isHere && dataFolder !== undefined ? await readFreeSpace([dataFolder]) : [];
  return { value: { databaseBytes, space } };
}
