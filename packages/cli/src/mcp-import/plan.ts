import { edited, type FileEdit, openForEdit, type Piece } from "../file-edits/index.ts";
import type { Client, ClientFile, Where } from "./clients.ts";
import { definitionOf, isWay } from "./definition.ts";
import type { Entry, EntryText } from "./entry.ts";
import { GatewayDocument } from "./gateway-document.ts";
import { gatewayEdits, keptSecret, referencesIn } from "./gateway-edits.ts";
import { type GatewayServer, gatewayServer } from "./gateway-server.ts";
import { jsonEntries } from "./json-entries.ts";
import { type Door, isOverHttp, keyVariable, replacementFor } from "./replacement.ts";
import { isTellingArgument, Secrets } from "./secrets.ts";
import { tomlEntries } from "./toml-entries.ts";
import { Unfit } from "./written-text.ts";

/** Everything an import would do; nothing has been written. */
export interface ImportPlan {
  readonly servers: readonly PlannedServer[];
  readonly left: readonly LeftServer[];
  readonly edits: readonly FileEdit[];
  /** Names of secrets that nobody has a value for. */
  readonly missing: readonly string[];
  /** Whether a client needs the key in its environment, and it is in none here. */
  readonly isKeyMissing: boolean;
}

interface Named {
  readonly client: string;
  readonly file: string;
  readonly place: string;
  readonly name: string;
}

export interface PlannedServer extends Named {
  readonly adapter: string;
  readonly server: GatewayServer;
  readonly replacement: Readonly<Record<string, unknown>>;
}

export interface LeftServer extends Named {
  readonly why: string;
}

export interface ImportSetting {
  /** Where the configuration is. */
  readonly folder: string;
  readonly where: Where;
  readonly clients: readonly Client[];
  readonly door: Door;
  readonly isSandboxed: boolean;
  /** Only servers of these names; all of them unless given. */
  readonly only?: readonly string[];
  /** Names of adapters that the configuration has itself. */
  readonly adapters: ReadonlySet<string>;
}

export async function planImport(setting: ImportSetting): Promise<ImportPlan> {
  const { folder, clients, where, door } = setting;
  const document = await GatewayDocument.open(folder, setting.adapters);
  const secrets = new Secrets((name) => keptSecret(folder, name));
  const edits: FileEdit[] = [];
  const servers: PlannedServer[] = [];
  const left: LeftServer[] = [];
  for (const client of clients)
    for (const file of client.files(where)) {
      const found = await oneFile(client, file, { ...setting, document, secrets });
      servers.push(...found.servers);
      left.push(...found.left);
      if (found.edit) edits.push(found.edit);
    }
  const references = new Set(servers.flatMap(({ server }) => referencesIn(server)));
  const isThere = (name: string) =>
    secrets.values.has(name) || keptSecret(folder, name) !== undefined || where.environment[name];
  const needsKey = clients.some(
    (client) => isOverHttp(client, door) && servers.some((each) => each.client === client.name),
  );
  return {
    servers,
    left,
    missing: [...references].filter((name) => !isThere(name)),
    // The gateway's own first: no client may point at what is not there yet.
    edits: [...(await gatewayEdits(folder, document, secrets)), ...edits],
    isKeyMissing: needsKey && !where.environment[keyVariable],
  };
}

interface Within extends ImportSetting {
  readonly document: GatewayDocument;
  readonly secrets: Secrets;
}

async function oneFile(client: Client, file: ClientFile, within: Within) {
  const found = await openForEdit(file.path);
  const servers: PlannedServer[] = [];
  const left: LeftServer[] = [];
  if (found.state.kind === "absent") return { servers, left };
  const read = client.format === "json" ? jsonEntries : tomlEntries;
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
      const { pieces: own, ...planned } = await oneServer(client, entry, within);
      pieces.push(...own);
      servers.push({ ...named, ...planned });
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      left.push({ ...named, why: error.message });
    }
  }
  return { servers, left, ...(pieces.length > 0 && { edit: edited(found, pieces) }) };
}

async function oneServer(
  client: Client,
  entry: Entry,
  { document, secrets, where, isSandboxed, door }: Within,
) {
  if (isOurs(entry, door)) throw new Unfit("it goes through Paraph already");
  const definition = definitionOf(entry, client, where);
  const adapter = await document.add(entry.name, (name) =>
    gatewayServer(definition, { name, secrets, where, isSandboxed }),
  );
  const replacement = replacementFor(client, adapter, door);
  const pieces = entry.replaced(replacement, isWay, (text) => isHidden(text, entry));
  return { adapter, server: document.get(adapter), replacement, pieces };
}

/** Also through another Paraph, which would otherwise be put behind this one. */
function isOurs({ fields }: Entry, { url }: Door): boolean {
  const { args, url: to } = fields;
  if (typeof to === "string")
    return to.startsWith(new URL("/mcp", url).href) || JSON.stringify(fields).includes(keyVariable);
  return Array.isArray(args) && args.includes("mcp") && args.includes("--server");
}

/** [P10] What is shown of an entry: how its server is started or reached, and of everything else only that it is there. */
function isHidden({ at, value }: EntryText, { fields }: Entry): boolean {
  const [field = "", index] = at;
  if (field === "args" && Array.isArray(fields.args))
    return isTellingArgument(value, fields.args[Number(index) - 1]);
  return !["type", "command", "cwd", "url", "httpUrl", "env_vars", "bearer_token_env_var"].includes(field);
}
