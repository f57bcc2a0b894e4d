import { join } from "node:path";
import type { McpDocument } from "@paraph/adapters/mcp/document";
import { CliError } from "../../../lib/cli-error.ts";
import { mcpDocumentName } from "../../../lib/config/mcp-document.ts";
import {
  buildFileEdit,
  type EditableFile,
  type FileEdit,
  findMember,
  openForEdit,
  parseJsonTree,
  toPlainJson,
} from "../../../lib/file-edits/index.ts";
import type { GatewayServer } from "./gateway-server.ts";

/** The gateway's MCP servers, and the servers that an import would add. */
export class GatewayDocument {
  readonly #file: EditableFile;
  readonly #there: Readonly<Record<string, GatewayServer>>;
  readonly #added = new Map<string, GatewayServer>();
  readonly #elsewhere: ReadonlySet<string>;

  /**
   * Opens the document. `elsewhere` holds the names of adapters that are defined in the configuration and not in this
   * document.
   */
  static async open(folder: string, elsewhere: ReadonlySet<string>): Promise<GatewayDocument> {
    return new GatewayDocument(await openForEdit(join(folder, mcpDocumentName)), elsewhere);
  }

  private constructor(file: EditableFile, elsewhere: ReadonlySet<string>) {
    this.#file = file;
    this.#elsewhere = elsewhere;
    const servers = findMember(parseJsonTree(file.text), "servers");
    if (file.state.kind === "file" && servers?.kind !== "object")
      throw new CliError(
        "config-invalid",
        `\`${file.path}\` has no valid \`servers\` object. Correct the file, then run the import again.`,
      );
    this.#there = servers ? (toPlainJson(servers) as McpDocument["servers"]) : {};
  }

  /**
   * Adds a server and returns its name. Uses the wanted name if it is free or already belongs to the same server.
   * Otherwise appends a number. `make` builds the server for each name that is tried, because the names of the server's
   * secrets start with that name.
   */
  async add(wanted: string, make: (name: string) => Promise<GatewayServer>): Promise<string> {
    for (let count = 1; ; count++) {
      const name = count === 1 ? toAdapterName(wanted) : `${toAdapterName(wanted)}_${count}`;
      if (this.#elsewhere.has(name) || reservedNames.has(name)) continue;
      const there = this.#added.get(name) ?? this.#there[name];
      const server = await make(name);
      if (there !== undefined && JSON.stringify(there) !== JSON.stringify(server)) continue;
      if (there === undefined) this.#added.set(name, server);
      return name;
    }
  }

  get(name: string): GatewayServer {
    return this.#added.get(name) ?? this.#there[name]!;
  }

  get added(): ReadonlyMap<string, GatewayServer> {
    return this.#added;
  }

  /** Returns the edit, or undefined if there is nothing to add. */
  toEdit(): FileEdit | undefined {
    if (this.#added.size === 0) return undefined;
    const members = [...this.#added].map(
      ([name, server]) =>
        `    ${JSON.stringify(name)}: ${JSON.stringify(server, null, 2).replaceAll("\n", "\n    ")}`,
    );
    const text = members.join(",\n");
    const servers = findMember(parseJsonTree(this.#file.text), "servers");
    const place = "servers";
    if (servers?.kind !== "object")
      return buildFileEdit(
        this.#file,
        [{ start: 0, end: 0, text: `{\n  "servers": {\n${text}\n  }\n}\n`, place }],
        0o644,
      );
    const last = servers.members.at(-1)?.value.end;
    const piece =
      last === undefined
        ? { start: servers.start, end: servers.end, text: `{\n${text}\n  }`, place }
        : { start: last, end: last, text: `,\n${text}`, place };
    return buildFileEdit(this.#file, [piece]);
  }
}

/** Lists the names of the servers that the gateway's document already contains. */
export async function listImportedNames(folder: string): Promise<Set<string>> {
  const { text } = await openForEdit(join(folder, mcpDocumentName));
  const servers = findMember(parseJsonTree(text), "servers");
  return new Set(servers?.kind === "object" ? servers.members.map(({ key }) => key) : []);
}

/** Names that an imported server cannot have, because they are the prefixes of Paraph's own capabilities. */
const reservedNames = new Set(["admin", "human", "plan", "check", "paraph"]);

export function toAdapterName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^[^a-z]+|_+$/g, "");
  return plain.slice(0, 40) || "server";
}
