import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Config, files } from "@paraph/server";
import { CliError } from "../cli-error.ts";
import { ownParaphFor } from "../own-paraph.ts";
import { withMcpDocument } from "./mcp-document.ts";

export interface Configuration {
  readonly config: Config;
  /** The file it came from; undefined for the built-in one. */
  readonly file: string | undefined;
}

const names = ["paraph.config.ts", "paraph.config.js", "paraph.config.mjs"];
export const workspace = "workspace";

/** The configuration of a folder; where it has none, files below `workspace`. The folder's MCP servers are in it. */
export async function configurationOf(folder: string): Promise<Configuration> {
  const found = await readConfiguration(folder);
  if (found.file === undefined) await mkdir(join(folder, workspace), { recursive: true });
  return found;
}

/** The same, without a trace in the folder. */
export async function readConfiguration(folder: string): Promise<Configuration> {
  const file = findConfiguration(folder);
  const own = file === undefined ? builtIn : await loadConfiguration(file);
  return { config: await withMcpDocument(own, folder), file };
}

const builtIn: Config = { adapters: { files: files({ root: workspace }) } };

function findConfiguration(folder: string): string | undefined {
  return names.map((name) => join(folder, name)).find((path) => existsSync(path));
}

async function loadConfiguration(file: string): Promise<Config> {
  const url = pathToFileURL(file).href;
  const hooks = registerHooks({ resolve: ownParaphFor(url) });
  try {
    const { default: config } = (await import(url)) as { default?: unknown };
    if (typeof config === "object" && config !== null && !Array.isArray(config)) return config as Config;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError("config-invalid", `\`${file}\` does not load: ${reason}`, { cause: error });
  } finally {
    hooks.deregister();
  }
  throw new CliError(
    "config-invalid",
    `\`${file}\` has no default export: write \`export default defineConfig({ … })\`.`,
  );
}
