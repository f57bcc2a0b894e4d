import { buildFileEdit, type FileEdit, openForEdit, type Piece } from "../../../lib/file-edits/index.ts";
import { readJsonEntries } from "../../../lib/mcp-clients/json-entries.ts";
import type { ClientFile, ClientLocation, McpClient } from "../../../lib/mcp-clients/mcp-clients.ts";
import type { EntryText, ServerEntry } from "../../../lib/mcp-clients/server-entry.ts";
import { readTomlEntries } from "../../../lib/mcp-clients/toml-entries.ts";
import { UnsupportedServerError } from "./config-text.ts";
import { GatewayDocument } from "./gateway-document.ts";
import { buildGatewayEdits, listSecretReferences, readStoredSecret } from "./gateway-edits.ts";
import { type GatewayServer, toGatewayServer } from "./gateway-server.ts";
import { buildReplacement, isHttpClient, keyVariable, type ParaphEndpoint } from "./replacement.ts";
import { isSecretArgument, SecretStore } from "./secret-store.ts";
import { isConnectionField, toServerDefinition } from "./server-definition.ts";

/** Everything that an import would do. Nothing is written yet. */
export interface ImportPlan {
  readonly servers: readonly PlannedServer[];
  readonly left: readonly SkippedServer[];
  readonly edits: readonly FileEdit[];
  /** The names of secrets that the servers refer to but that have no value yet. */
  readonly missing: readonly string[];
  /** Whether a client needs the API key in its environment, but the key is not set there. */
  readonly isKeyMissing: boolean;
}

interface EntryLocation {
  readonly client: string;
  readonly file: string;
  readonly place: string;
  readonly name: string;
}

export interface PlannedServer extends EntryLocation {
  readonly adapter: string;
  readonly server: GatewayServer;
  readonly replacement: Readonly<Record<string, unknown>>;
}

export interface SkippedServer extends EntryLocation {
  readonly why: string;
}

export interface ImportRequest {
  /** The folder of the configuration. */
  readonly folder: string;
  readonly where: ClientLocation;
  readonly clients: readonly McpClient[];
  readonly endpoint: ParaphEndpoint;
  readonly isSandboxed: boolean;
  /** The names of the servers to import (default: all). */
  readonly only?: readonly string[];
  /** The names of adapters that are defined in the configuration and were not imported. */
  readonly adapters: ReadonlySet<string>;
}

export async function planImport(request: ImportRequest): Promise<ImportPlan> {
  const { folder, clients, where, endpoint } = request;
  const document = await GatewayDocument.open(folder, request.adapters);
  const secrets = new SecretStore((name) => readStoredSecret(folder, name));
  const edits: FileEdit[] = [];
  const servers: PlannedServer[] = [];
  const left: SkippedServer[] = [];
  for (const client of clients)
    for (const file of client.files(where)) {
      const found = await planFile(client, file, { ...request, document, secrets });
      servers.push(...found.servers);
      left.push(...found.left);
      if (found.edit) edits.push(found.edit);
    }
  const references = new Set(servers.flatMap(({ server }) => listSecretReferences(server)));
  const isThere = (name: string) =>
    secrets.values.has(name) || readStoredSecret(folder, name) !== undefined || where.environment[name];
  const needsKey = clients.some(
    (client) => isHttpClient(client, endpoint) && servers.some((each) => each.client === client.name),
  );
  return {
    servers,
    left,
    missing: [...references].filter((name) => !isThere(name)),
    // The gateway's files come first, so that no client ever points to a server that does not exist yet.
    edits: [...(await buildGatewayEdits(folder, document, secrets)), ...edits],
    isKeyMissing: needsKey && !where.environment[keyVariable],
  };
}

interface ImportContext extends ImportRequest {
  readonly document: GatewayDocument;
  readonly secrets: SecretStore;
}

async function planFile(client: McpClient, file: ClientFile, within: ImportContext) {
  const found = await openForEdit(file.path);
  const servers: PlannedServer[] = [];
  const left: SkippedServer[] = [];
  if (found.state.kind === "absent") return { servers, left };
  const read = client.format === "json" ? readJsonEntries : readTomlEntries;
  const entries = read(found.text, client.key, file);
  const about = { client: client.name, file: found.path };
  if (entries.kind === "unclear") {
    left.push({ ...about, place: client.key, name: "", why: entries.message });
    return { servers, left };
  }
  const pieces: Piece[] = [];
  for (const entry of entries.entries) {
    if (within.only && !within.only.includes(entry.name)) continue;
    const named = { ...about, place: entry.place, name: entry.name };
    try {
      const { pieces: own, ...planned } = await planServer(client, entry, within);
      pieces.push(...own);
      servers.push({ ...named, ...planned });
    } catch (error) {
      if (!(error instanceof UnsupportedServerError)) throw error;
      left.push({ ...named, why: error.message });
    }
  }
  return { servers, left, ...(pieces.length > 0 && { edit: buildFileEdit(found, pieces) }) };
}

async function planServer(
  client: McpClient,
  entry: ServerEntry,
  { document, secrets, where, isSandboxed, endpoint }: ImportContext,
) {
  if (isBehindParaph(entry, endpoint)) throw new UnsupportedServerError("it already goes through Paraph");
  const definition = toServerDefinition(entry, client, where);
  const adapter = await document.add(entry.name, (name) =>
    toGatewayServer(definition, { name, secrets, where, isSandboxed }),
  );
  const replacement = buildReplacement(client, adapter, endpoint);
  const pieces = entry.replaceFields(replacement, isConnectionField, (text) => isHidden(text, entry));
  return { adapter, server: document.get(adapter), replacement, pieces };
}

/**
 * Whether the entry already points to Paraph. An entry that points to another Paraph also counts, so that the import
 * does not put that Paraph behind this one.
 */
function isBehindParaph({ fields }: ServerEntry, { url }: ParaphEndpoint): boolean {
  const { command, args, url: to } = fields;
  if (typeof to === "string")
    return to.startsWith(new URL("/mcp", url).href) || JSON.stringify(fields).includes(keyVariable);
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  const program = words[words.indexOf("mcp") - 1];
  return (
    program !== undefined && (words.includes("--server") || /(?:^|[\\/])paraph(?:\.\w+)?$/.test(program))
  );
}

/**
 * [P10] Whether the preview hides a text of an entry. The preview shows only harmless fields, such as the command and
 * the address, and arguments that do not resemble secrets.
 */
function isHidden({ at, value }: EntryText, { fields }: ServerEntry): boolean {
  const [field = "", index] = at;
  if (field === "args" && Array.isArray(fields.args))
    return isSecretArgument(value, fields.args[Number(index) - 1]);
  return !["type", "command", "cwd", "url", "httpUrl", "env_vars", "bearer_token_env_var"].includes(field);
}
