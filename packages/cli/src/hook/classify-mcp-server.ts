import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { readJsonEntries } from "../lib/mcp-clients/json-entries.ts";
import { type ClientFile, type McpClient, mcpClients } from "../lib/mcp-clients/mcp-clients.ts";
import type { ServerEntry } from "../lib/mcp-clients/server-entry.ts";
import { readTomlEntries } from "../lib/mcp-clients/toml-entries.ts";
import type { ToolUse } from "./hook-event.ts";
import { isParaphServer, type ParaphTarget } from "./is-paraph-server.ts";

/**
 * The MCP server of a tool. `governed` means that the server is Paraph itself, which rules on each call that it
 * receives.
 */
export type McpServer =
  | { readonly kind: "governed" }
  | { readonly kind: "foreign"; readonly name: string; readonly tool: string };

export interface ParaphGateway extends ParaphTarget {
  /** The names of MCP servers that the hook's own command line declares to be Paraph. */
  readonly names: readonly string[];
}

/**
 * Returns the server of a tool, or undefined if the tool's name does not identify a server. A server counts as Paraph
 * only if two conditions hold. First, the tool's name has only one possible split. Second, every definition of the
 * server in the files that the client may read points to Paraph. If `names` contains the server, the second condition
 * covers only the project's files. The hook asks Paraph about the tools of any other server.
 */
export async function classifyMcpServer(of: ToolUse, gateway: ParaphGateway): Promise<McpServer | undefined> {
  const splits = listNameSplits(of);
  const found = await listConfiguredServers(of);
  const isConfigured = ({ name }: NameSplit) =>
    found.some(({ entry }) => entry && toToolPrefix(entry.name) === name);
  const server = splits.findLast(isConfigured) ?? (splits.length === 1 ? splits[0] : undefined);
  if (!server) return undefined;
  const foreign = { kind: "foreign", ...server } as const;
  // A tool name with several possible splits counts as foreign, because any of the splits could name its server. The
  // files cannot rule out a split, because a server from a plugin or a command line appears in no file.
  if (splits.length > 1) return foreign;
  const named = found.filter(({ entry }) => !entry || toToolPrefix(entry.name) === server.name);
  const isDeclared = gateway.names.includes(server.name);
  // `--gateway` covers the person's own settings but not a project's settings, so the definitions in a project are
  // still checked.
  const doubtful = isDeclared ? named.filter(({ isOfProject }) => isOfProject) : named;
  if (!isDeclared && doubtful.length === 0) return foreign;
  for (const { entry } of doubtful)
    if (!entry || !(await isParaphServer(entry.fields, gateway))) return foreign;
  return { kind: "governed" };
}

interface NameSplit {
  readonly name: string;
  readonly tool: string;
}

/**
 * Lists every possible split of the name into server and tool, shortest server name first. The form is
 * `mcp__server__tool`, or `mcp_server_tool` for Gemini.
 */
function listNameSplits({ client, tool, mcpServer }: ToolUse): NameSplit[] {
  const joint = client === "gemini" ? "_" : "__";
  const rest = tool.slice(`mcp${joint}`.length);
  const splits: NameSplit[] = [];
  for (let at = rest.indexOf(joint, 1); at > 0; at = rest.indexOf(joint, at + 1)) {
    const split = { name: rest.slice(0, at), tool: rest.slice(at + joint.length) };
    if (split.tool !== "") splits.push(split);
  }
  // Gemini also sends the server's name, which rules out the other splits.
  if (mcpServer === undefined) return splits;
  return splits.filter(({ name }) => name === toToolPrefix(mcpServer));
}

interface ConfiguredServer {
  /** The entry, or undefined if the file cannot be parsed reliably. Such a file may define any server. */
  readonly entry: ServerEntry | undefined;
  readonly isOfProject: boolean;
}

/**
 * Reads the definitions in all folders that the client may use. Clients read the files of their start folder and its
 * parents. The event's `cwd` follows the agent's `cd`, so `cwd` alone would let a subfolder redefine a server.
 */
async function listConfiguredServers({ client, cwd }: ToolUse): Promise<ConfiguredServer[]> {
  const { env, platform } = process;
  const known = mcpClients.find(({ id }) => id === client)!;
  const starts = [cwd, process.cwd(), env.CLAUDE_PROJECT_DIR, env.GEMINI_PROJECT_DIR];
  const folders = new Set(starts.flatMap((start) => (start ? listFolderAndParents(start) : [])));
  const files = new Map<string, ClientFile>();
  for (const project of folders)
    for (const file of known.files({ home: homedir(), project, environment: env, platform }))
      if (!files.has(file.path) || file.project === undefined) files.set(file.path, file);
  return (await Promise.all([...files.values()].map((file) => readServers(known, file)))).flat();
}

function listFolderAndParents(start: string): string[] {
  const folders = [resolve(start)];
  while (dirname(folders.at(-1)!) !== folders.at(-1)) folders.push(dirname(folders.at(-1)!));
  return folders;
}

async function readServers(client: McpClient, file: ClientFile): Promise<ConfiguredServer[]> {
  const unclear = [{ entry: undefined, isOfProject: file.project !== undefined }];
  let text: string;
  try {
    text = await readFile(file.path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return ["ENOENT", "ENOTDIR"].includes(code) ? [] : unclear;
  }
  const entries = (client.format === "toml" ? readTomlEntries : readJsonEntries)(text, client.key, file);
  if (entries.kind !== "entries") return unclear;
  return entries.entries.map((entry) => ({ entry, isOfProject: entry.project !== undefined }));
}

/** Replaces the same characters in a server's name that clients replace when they build tool names from it. */
function toToolPrefix(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_");
}
