import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { files } from "@paraph/adapters/files";
import type { ConfigSource } from "@paraph/core";
import { type Config, checkConfig, checkStart, listCedarFiles } from "@paraph/server";
import { CliError } from "../cli-error.ts";
import { explainLoadError } from "./explain-load-error.ts";
import { importFresh } from "./import-fresh.ts";
import { isBehindLink } from "./is-behind-link.ts";
import { addMcpServers, mcpDocumentName } from "./mcp-document.ts";

export interface Configuration {
  readonly config: Config;
  /** The file of the configuration, or undefined for the built-in configuration. */
  readonly file: string | undefined;
  /** The file's name and text, for messages about faults. */
  readonly source: ConfigSource | undefined;
  /** The paths of the file and of the files that it imports, except packages. */
  readonly modules: ReadonlySet<string>;
}

const configFileNames = ["paraph.config.ts", "paraph.config.js", "paraph.config.mjs"];
export const workspaceFolder = "workspace";

/**
 * Reads the configuration of a folder, including its MCP servers. If there is no configuration file, uses the built-in
 * configuration and creates its folder `workspace`.
 */
export async function prepareConfiguration(folder: string): Promise<Configuration> {
  const found = await readConfiguration(folder);
  if (found.file === undefined) await mkdir(join(folder, workspaceFolder), { recursive: true });
  return found;
}

/** Reads the configuration without creating anything. Throws `config-invalid` with all faults. */
export async function readConfiguration(folder: string): Promise<Configuration> {
  const found = await findConfiguration(folder);
  checkConfig(found.config, found.source);
  return found;
}

/**
 * Reads the configuration for `paraph dev` and `paraph doctor`, and also validates policies and secrets. Adds the
 * modules of the configuration to `modules`, even if it is invalid.
 */
export async function readStartableConfiguration(
  folder: string,
  environment: NodeJS.ProcessEnv,
  modules = new Set<string>(),
): Promise<Configuration> {
  const found = await findConfiguration(folder, modules);
  checkStart(found.config, { folder, environment, source: found.source });
  return found;
}

/**
 * Reads the files that a configuration consists of: its own file with the files that it imports, the MCP servers, the
 * policies, and the files of adapters.
 */
export async function inspectConfiguration(
  { config, modules }: Pick<Configuration, "config" | "modules">,
  folder: string,
): Promise<{
  /** The faults in the files of adapters, each on one line. */
  readonly faults: readonly string[];
  /** The paths of all files, including files that do not exist yet. */
  readonly paths: readonly string[];
  /** The digest of all files, which changes when a file changes, appears or disappears. */
  readonly digest: string;
}> {
  const adapters = await Promise.all(
    Object.entries(config.adapters ?? {}).map(([name, adapter]) =>
      // An adapter whose files cannot be read does not prevent the start, because the other adapters work.
      adapter
        .inspectFiles?.({ name, folder })
        .catch((error: Error) => ({ paths: [], faults: [error.message] })),
    ),
  );
  const policies = (config.policies ?? listCedarFiles(folder)).map((path) => resolve(folder, path));
  const paths = new Set([
    ...[...configFileNames, mcpDocumentName].map((name) => join(folder, name)),
    ...modules,
    ...policies,
    ...adapters.flatMap((found) => found?.paths ?? []),
  ]);
  const hash = createHash("sha256");
  for (const path of [...paths].sort()) {
    const content = await readFile(path).catch(() => undefined);
    hash.update(JSON.stringify([path, content?.toString("base64") ?? null]));
  }
  const faults = adapters.flatMap((found) => found?.faults ?? []);
  return { faults, paths: [...paths], digest: hash.digest("hex") };
}

/** Returns the path of the configuration file in a folder, or undefined if there is none. */
export function findConfigurationFile(folder: string): string | undefined {
  return configFileNames.map((name) => join(folder, name)).find((path) => existsSync(path));
}

async function findConfiguration(folder: string, modules = new Set<string>()): Promise<Configuration> {
  const file = findConfigurationFile(folder);
  const own = file === undefined ? getBuiltInConfig(folder) : await importConfiguration(file, modules);
  const source =
    file === undefined ? undefined : { file: basename(file), text: await readFile(file, "utf8") };
  return { config: await addMcpServers(own, folder), file, source, modules };
}

function getBuiltInConfig(folder: string): Config {
  if (isBehindLink(folder, workspaceFolder))
    throw new CliError(
      "config-invalid",
      `\`${join(folder, workspaceFolder)}\` is a link, so agents could read and change another folder. The link may have come with a copy of the project. Delete it, or name the other folder in \`paraph.config.ts\`.`,
    );
  return { adapters: { files: files({ root: workspaceFolder }) } };
}

async function importConfiguration(file: string, modules: Set<string>): Promise<Config> {
  try {
    const { default: config } = await importFresh(file, modules);
    if (typeof config === "object" && config !== null && !Array.isArray(config)) return config as Config;
  } catch (error) {
    const exported = Object.keys(await import("../../config.ts"));
    throw new CliError("config-invalid", explainLoadError(error, modules, exported), { cause: error });
  }
  throw new CliError(
    "config-invalid",
    `\`${file}\` has no default export. Write \`export default defineConfig({ … })\`.`,
  );
}
