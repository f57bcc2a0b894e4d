import type { ClientLocation, McpClient } from "../../../lib/mcp-clients/mcp-clients.ts";
import type { ServerEntry } from "../../../lib/mcp-clients/server-entry.ts";
import { type ConfigText, parseConfigText, UnsupportedServerError } from "./config-text.ts";

/** The definition of a server in a client's entry, independent of the client. */
export type ServerDefinition =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly ConfigText[];
      readonly env: Readonly<Record<string, ConfigText>>;
      /** The working folder, or undefined if it depends on how the client was started. */
      readonly cwd?: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, ConfigText>> };

/** The fields that say how a server is reached. An import replaces them. */
const connectionFields = new Set([
  ...["type", "command", "args", "env", "env_vars", "cwd", "url", "httpUrl", "headers"],
  ...["http_headers", "env_http_headers", "bearer_token_env_var", "tcp"],
]);

/** The connection fields that Paraph does not support. */
const unsupportedFields = [
  ...["envFile", "oauth", "auth", "authProviderType", "headersHelper", "http_headers_helper", "tcp"],
  ...["oauth_resource", "targetAudience", "targetServiceAccount", "serverUrl"],
];

export const isConnectionField = (field: string): boolean => connectionFields.has(field);

/** Converts an entry to a server definition. Throws an `UnsupportedServerError` if the entry cannot be imported. */
export function toServerDefinition(
  entry: ServerEntry,
  client: McpClient,
  where: ClientLocation,
): ServerDefinition {
  const { fields, project } = entry;
  if (fields.disabled === true || fields.enabled === false)
    throw new UnsupportedServerError("it is disabled");
  const strange = Object.keys(fields).find(
    (field) => unsupportedFields.includes(field) || field.includes("."),
  );
  if (strange !== undefined)
    throw new UnsupportedServerError(`it has the field \`${strange}\`, which Paraph does not support`);
  const read = (text: string) => parseConfigText(text, client.references, where, project);
  const url = readField(fields, "httpUrl") ?? readField(fields, "url");
  if (url !== undefined) return toHttpDefinition(url, fields, read);
  return toStdioDefinition(entry, read);
}

type ReadText = (text: string) => ConfigText;

function toStdioDefinition({ fields, project }: ServerEntry, read: ReadText): ServerDefinition {
  const command = requirePlainText(read(readField(fields, "command") ?? rejectEmptyEntry()));
  const args = fields.args ?? [];
  if (!Array.isArray(args) || args.some((each) => typeof each !== "string"))
    throw new UnsupportedServerError("its `args` are not a list of strings");
  const given = readField(fields, "cwd");
  const cwd = given === undefined ? project : requirePlainText(read(given));
  return {
    kind: "stdio",
    command,
    args: args.map(read),
    env: { ...readTexts(fields, "env", read), ...readInheritedEnv(fields) },
    ...(cwd !== undefined && { cwd }),
  };
}

function toHttpDefinition(url: string, fields: ServerEntry["fields"], read: ReadText): ServerDefinition {
  const isOld =
    fields.type === "sse" ||
    (fields.type === undefined && fields.httpUrl === undefined && /\/sse\/?$/.test(url));
  if (isOld)
    throw new UnsupportedServerError(
      "it uses SSE, which Paraph does not support; check whether the server also offers streamable HTTP",
    );
  const bearer = readField(fields, "bearer_token_env_var");
  const named = readTexts(fields, "env_http_headers", (name) => [
    { kind: "reference", name: requireUpperCase(name) },
  ]);
  return {
    kind: "http",
    url: requirePlainText(read(url)),
    headers: {
      ...readTexts(fields, "headers", read),
      ...readTexts(fields, "http_headers", read),
      ...named,
      ...(bearer !== undefined && {
        Authorization: [
          { kind: "plain", text: "Bearer " },
          { kind: "reference", name: requireUpperCase(bearer) },
        ],
      }),
    },
  };
}

/**
 * Reads the names of the variables that Codex passes on from its own environment. Returns a reference for each name.
 */
function readInheritedEnv({ env_vars = [] }: ServerEntry["fields"]): Record<string, ConfigText> {
  if (!Array.isArray(env_vars) || env_vars.some((each) => typeof each !== "string"))
    throw new UnsupportedServerError("its `env_vars` are not a list of names");
  return Object.fromEntries(
    env_vars.map((name: string) => [name, [{ kind: "reference", name: requireUpperCase(name) }]]),
  );
}

function requireUpperCase(name: string): string {
  if (/^[A-Z][A-Z0-9_]{0,62}$/.test(name)) return name;
  throw new UnsupportedServerError(
    `it refers to \`${name}\`, but Paraph accepts only variable names in capital letters`,
  );
}

function readTexts(fields: ServerEntry["fields"], field: string, read: ReadText): Record<string, ConfigText> {
  const found = fields[field] ?? {};
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw new UnsupportedServerError(`its \`${field}\` is not an object of strings`);
  const entries = Object.entries(found as Record<string, unknown>).map(([name, value]) => {
    if (value === null || typeof value === "object")
      throw new UnsupportedServerError(`its \`${field}.${name}\` is not a string`);
    return [name, read(String(value))] as const;
  });
  return Object.fromEntries(entries);
}

function readField(fields: ServerEntry["fields"], field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || typeof value === "string") return value;
  throw new UnsupportedServerError(`its \`${field}\` is not a string`);
}

/**
 * Returns the text, or throws if the text contains references. Paraph's configuration stores programs and addresses
 * only as plain text, so they cannot contain references.
 */
function requirePlainText(text: ConfigText): string {
  return text
    .map((part) => {
      if (part.kind === "plain") return part.text;
      throw new UnsupportedServerError(
        `its program or address depends on \`${part.name}\`, which only its client knows`,
      );
    })
    .join("");
}

function rejectEmptyEntry(): never {
  throw new UnsupportedServerError("it has neither a command nor an address");
}
