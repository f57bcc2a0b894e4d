import type { McpClient } from "../../../lib/mcp-clients/mcp-clients.ts";

/** The address at which clients reach Paraph after the import. */
export interface ParaphEndpoint {
  /** The URL of Paraph. */
  readonly url: string;
  /** The folder that contains `.paraph`. With it, `paraph mcp` finds the server and its key. */
  readonly folder: string;
  /** Whether the user named the URL. A named URL overrides the URL that is recorded for the folder. */
  readonly isNamed: boolean;
  /** The command that started this program. */
  readonly self: readonly [string, ...string[]];
  /** Whether every client uses `paraph mcp`, even those that support HTTP. */
  readonly isBridge: boolean;
}

export const keyVariable = "PARAPH_KEY";

/** Builds the connection fields in the client's own format. The server and its tools keep their names in the client. */
export function buildReplacement(
  client: McpClient,
  adapter: string,
  door: ParaphEndpoint,
): Record<string, unknown> {
  if (isHttpClient(client, door)) return buildHttpFields(client, new URL(`/mcp/${adapter}`, door.url).href);
  const [command, ...args] = door.self;
  const to = ["--folder", door.folder, ...(door.isNamed ? ["--url", door.url] : [])];
  return {
    ...(client.id === "vscode" && { type: "stdio" }),
    command,
    args: [...args, "mcp", "--server", adapter, ...to],
  };
}

export function isHttpClient(client: McpClient, { isBridge }: ParaphEndpoint): boolean {
  return client.transport === "http" && !isBridge;
}

function buildHttpFields(client: McpClient, url: string): Record<string, unknown> {
  if (client.format === "toml") return { url, bearer_token_env_var: keyVariable };
  const reference = client.references === "shell" ? keyVariable : `env:${keyVariable}`;
  return {
    ...(client.references === "shell" && { type: "http" }),
    url,
    headers: { Authorization: `Bearer \${${reference}}` },
  };
}
