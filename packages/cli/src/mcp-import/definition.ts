import type { Client, Where } from "./clients.ts";
import type { Entry } from "./entry.ts";
import { readText, Unfit, type WrittenText } from "./written-text.ts";

/** What a client's entry says of a server, whichever client it is. */
export type Definition =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly WrittenText[];
      readonly env: Readonly<Record<string, WrittenText>>;
      /** Where it is started; undefined where that is up to how its client was. */
      readonly cwd?: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, WrittenText>> };

/** Fields that say how a server is reached: they make way for others. */
const ways = new Set([
  ...["type", "command", "args", "env", "env_vars", "cwd", "url", "httpUrl", "headers"],
  ...["http_headers", "env_http_headers", "bearer_token_env_var", "tcp"],
]);

/** Those that say something about reaching it which Paraph cannot do in the client's stead. */
const beyond = [
  ...["envFile", "oauth", "auth", "authProviderType", "headersHelper", "http_headers_helper", "tcp"],
  ...["oauth_resource", "targetAudience", "targetServiceAccount", "serverUrl"],
];

export const isWay = (field: string): boolean => ways.has(field);

/** Throws `Unfit` where it cannot be taken over. */
export function definitionOf(entry: Entry, client: Client, where: Where): Definition {
  const { fields, project } = entry;
  if (fields.disabled === true || fields.enabled === false) throw new Unfit("it is switched off");
  const strange = Object.keys(fields).find((field) => beyond.includes(field) || field.includes("."));
  if (strange !== undefined) throw new Unfit(`it has \`${strange}\`, which Paraph cannot do in its stead`);
  const read = (text: string) => readText(text, client.references, where, project);
  const url = textIn(fields, "httpUrl") ?? textIn(fields, "url");
  if (url !== undefined) return remote(url, fields, read);
  return local(entry, read);
}

type Read = (text: string) => WrittenText;

function local({ fields, project }: Entry, read: Read): Definition {
  const command = plain(read(textIn(fields, "command") ?? missing()));
  const args = fields.args ?? [];
  if (!Array.isArray(args) || args.some((each) => typeof each !== "string"))
    throw new Unfit("its `args` are not a list of texts");
  const given = textIn(fields, "cwd");
  const cwd = given === undefined ? project : plain(read(given));
  return {
    kind: "stdio",
    command,
    args: args.map(read),
    env: { ...record(fields, "env", read), ...inherited(fields) },
    ...(cwd !== undefined && { cwd }),
  };
}

function remote(url: string, fields: Entry["fields"], read: Read): Definition {
  const isOld =
    fields.type === "sse" ||
    (fields.type === undefined && fields.httpUrl === undefined && /\/sse\/?$/.test(url));
  if (isOld) throw new Unfit("it speaks SSE, which Paraph does not: see whether it has a streamable address");
  const bearer = textIn(fields, "bearer_token_env_var");
  const named = record(fields, "env_http_headers", (name) => [{ kind: "reference", name: upper(name) }]);
  return {
    kind: "http",
    url: plain(read(url)),
    headers: {
      ...record(fields, "headers", read),
      ...record(fields, "http_headers", read),
      ...named,
      ...(bearer !== undefined && {
        Authorization: [
          { kind: "plain", text: "Bearer " },
          { kind: "reference", name: upper(bearer) },
        ],
      }),
    },
  };
}

/** Codex hands variables of its own environment on, by name. */
function inherited({ env_vars: names = [] }: Entry["fields"]): Record<string, WrittenText> {
  if (!Array.isArray(names) || names.some((each) => typeof each !== "string"))
    throw new Unfit("its `env_vars` are not a list of names");
  return Object.fromEntries(names.map((name: string) => [name, [{ kind: "reference", name: upper(name) }]]));
}

function upper(name: string): string {
  if (/^[A-Z][A-Z0-9_]{0,62}$/.test(name)) return name;
  throw new Unfit(`it refers to \`${name}\`, and Paraph takes names in capitals only`);
}

function record(fields: Entry["fields"], field: string, read: Read): Record<string, WrittenText> {
  const found = fields[field] ?? {};
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw new Unfit(`its \`${field}\` is not a list of names and texts`);
  const entries = Object.entries(found as Record<string, unknown>).map(([name, value]) => {
    if (value === null || typeof value === "object")
      throw new Unfit(`its \`${field}.${name}\` is not a text`);
    return [name, read(String(value))] as const;
  });
  return Object.fromEntries(entries);
}

function textIn(fields: Entry["fields"], field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || typeof value === "string") return value;
  throw new Unfit(`its \`${field}\` is not a text`);
}

/** What Paraph's configuration has in clear has to be clear here. */
function plain(text: WrittenText): string {
  return text
    .map((part) => {
      if (part.kind === "plain") return part.text;
      throw new Unfit(`its program or address depends on \`${part.name}\`, which only its client knows`);
    })
    .join("");
}

function missing(): never {
  throw new Unfit("it says neither what to start nor where to reach it");
}
