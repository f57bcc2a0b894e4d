import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { findLocalServer } from "../lib/api/connection.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The Paraph that the hook asks, and the environment in which it was found. */
export interface ParaphTarget {
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Fields that do not change which program answers. Any field outside this list and the two lists below makes a
 * definition foreign.
 */
const harmlessFields = [
  ...["description", "timeout", "trust", "disabled", "enabled", "includeTools", "excludeTools", "required"],
  ...["enabled_tools", "disabled_tools", "startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec"],
];
const remoteFields = ["type", "url", "httpUrl", "headers", "http_headers", "env_http_headers"];
const localFields = ["type", "command", "args", "env"];

/** Whether a client's definition of an MCP server can start or reach only this Paraph. */
export async function isParaphServer(fields: Fields, { url, environment }: ParaphTarget): Promise<boolean> {
  return "command" in fields ? isParaphBridge(fields, url, environment) : isParaphUrl(fields, url);
}

/** Whether the definition is a URL of this Paraph's MCP endpoint. */
function isParaphUrl(fields: Fields, paraph: string): boolean {
  if (!hasOnly(fields, [...remoteFields, "bearer_token_env_var"])) return false;
  const { type = "http", url, httpUrl } = fields;
  const address = url ?? httpUrl;
  if (type !== "http" || (url !== undefined && httpUrl !== undefined)) return false;
  // Clients replace references to their environment, so Paraph cannot know the final address if the text contains `$`.
  if (typeof address !== "string" || address.includes("$") || !isSameOrigin(address, paraph)) return false;
  return /^\/mcp(\/|$)/.test(new URL(address).pathname);
}

/**
 * Whether the definition starts this program as `paraph mcp`. The definition must contain nothing that could make it
 * run another program or reach another server.
 */
async function isParaphBridge(
  fields: Fields,
  paraph: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (!hasOnly(fields, localFields)) return false;
  const { type = "stdio", command, args, env = {} } = fields;
  if (type !== "stdio" || !Array.isArray(args) || !args.every((arg) => typeof arg === "string")) return false;
  if (typeof env !== "object" || env === null || !hasOnly(env as Fields, ["PARAPH_KEY"], [])) return false;
  if (resolveRealPath(command) !== resolveRealPath(process.execPath)) return false;
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const [flags, [entry, verb, ...rest]] = [args.slice(0, at), args.slice(at)];
  if (flags.length > 0 && !isDeepStrictEqual(flags, process.execArgv)) return false;
  if (verb !== "mcp" || !ownEntries.has(resolveRealPath(entry))) return false;
  const to = await resolveBridgeTarget(rest, environment);
  return to !== undefined && isSameOrigin(to, paraph);
}

/**
 * Returns the address of the Paraph that the arguments name. Returns undefined if they name none, because the bridge
 * would then take the target from its environment.
 */
async function resolveBridgeTarget(
  args: string[],
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const option = { type: "string" } as const;
  try {
    const { values } = parseArgs({ args, options: { server: option, folder: option, url: option } });
    if (values.url !== undefined) return values.url;
    return values.folder === undefined ? undefined : (await findLocalServer(values.folder, environment))?.url;
  } catch {
    return undefined;
  }
}

const ownEntries = new Set(
  ["bin/paraph.js", "dist/main.js", "src/main.ts"].map((path) =>
    resolveRealPath(fileURLToPath(new URL(`../../${path}`, import.meta.url))),
  ),
);
ownEntries.delete(undefined);

function resolveRealPath(path: unknown): string | undefined {
  try {
    return realpathSync(path as string);
  } catch {
    return undefined;
  }
}

function hasOnly(fields: Fields, names: readonly string[], others = harmlessFields): boolean {
  return Object.keys(fields).every((name) => names.includes(name) || others.includes(name));
}

function isSameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}
