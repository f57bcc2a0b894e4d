import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { localAccess } from "../connection.ts";
import { clients, type Client as McpClient } from "../mcp-import/clients.ts";
import { jsonEntries } from "../mcp-import/json-entries.ts";
import { tomlEntries } from "../mcp-import/toml-entries.ts";
import type { ToolUse } from "./event.ts";

/**
 * Whether what the client calls by this name is Paraph itself, where each use is asked about anyway. By its address, and in
 * every file that has the name: a name alone anybody can give. Doubt means no, and that the use is asked about here too.
 */
export async function isGateway(name: string, { client, cwd }: ToolUse, paraph: string): Promise<boolean> {
  const { env: environment, platform } = process;
  const known = clients.find(({ id }) => id === client)!;
  const files = known.files({ home: homedir(), project: cwd, environment, platform });
  const found = (await Promise.all(files.map((file) => serversIn(known, file)))).flat();
  const named = found.filter((server) => server === unclear || asInTools(server.name) === name);
  const ours = await Promise.all(named.map((server) => server !== unclear && leadsTo(server.fields, paraph)));
  return ours.length > 0 && ours.every(Boolean);
}

const unclear = "unclear";

async function serversIn(client: McpClient, file: ReturnType<McpClient["files"]>[number]) {
  const text = await readFile(file.path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return [];
  const read = client.format === "toml" ? tomlEntries : jsonEntries;
  const entries = read(text, client.key, file);
  return entries.kind === "entries" ? entries.entries : [unclear as typeof unclear];
}

/** Clients write a server's name into those of its tools with letters, digits and lines alone. */
function asInTools(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_");
}

/** An address of this Paraph's, or this very program as its bridge. */
async function leadsTo(fields: Readonly<Record<string, unknown>>, paraph: string): Promise<boolean> {
  const { url, httpUrl, args } = fields;
  const address = url ?? httpUrl;
  if (typeof address === "string") return isDoor(address, paraph);
  if (!Array.isArray(args) || !args.some((arg) => typeof arg === "string" && arg.startsWith(ownFolder)))
    return false;
  if (!args.includes("mcp")) return false;
  const after = (option: string) => {
    const value = args[args.indexOf(option) + 1];
    return args.includes(option) && typeof value === "string" ? value : undefined;
  };
  const folder = after("--folder");
  const to = after("--url") ?? (folder && (await localAccess(folder))?.url);
  return to !== undefined && sameOrigin(to, paraph);
}

const ownFolder = fileURLToPath(new URL("../../", import.meta.url));

function isDoor(address: string, paraph: string): boolean {
  return sameOrigin(address, paraph) && /^\/mcp(\/|$)/.test(new URL(address).pathname);
}

function sameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}
