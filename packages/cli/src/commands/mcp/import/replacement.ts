import type { McpClient } from "../../../lib/mcp-clients/mcp-clients.ts";

/** How clients are to reach Paraph from now on. */
export interface ParaphEndpoint {
  /** Where Paraph answers. */
  readonly url: string;
  /** Where its `.paraph` is, for `paraph mcp` to find it and its key. */
  readonly folder: string;
  /** Whether the address was named, which then stands whatever the folder says. */
  readonly isNamed: boolean;
  /** The program that is running now, as it was started. */
  readonly self: readonly [string, ...string[]];
  /** Every client through `paraph mcp`, also those that could do without. */
  readonly isBridge: boolean;
}

export const keyVariable = "PARAPH_KEY";

/** What says how the server is reached, in the client's own words; its name in the client stays, and so do its tools'. */
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
