import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "@paraph/server";
import { CliError } from "../cli-error.ts";

/**
 * The file next to the configuration that `paraph mcp import` writes. It is separate, because the configuration itself
 * is code.
 */
export const mcpDocumentName = "paraph.mcp.json";

/** Adds the MCP servers of the document, if there is one, to the configuration. */
export async function addMcpServers(config: Config, folder: string): Promise<Config> {
  const text = await readFile(join(folder, mcpDocumentName), "utf8").catch(ignoreAbsent);
  if (text === undefined) return config;
  const { parseMcpServers } = await import("@paraph/adapters/mcp/document");
  const imported = parseMcpServers(text, mcpDocumentName);
  const twice = Object.keys(imported).find((name) => Object.hasOwn(config.adapters ?? {}, name));
  if (twice !== undefined)
    throw new CliError(
      "config-invalid",
      `Both the configuration and \`${mcpDocumentName}\` have an adapter \`${twice}\`. Rename or delete one of them.`,
    );
  return { ...config, adapters: { ...config.adapters, ...imported } };
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
