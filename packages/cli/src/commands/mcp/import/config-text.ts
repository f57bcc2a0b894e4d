import type { ClientLocation, ReferenceSyntax } from "../../../lib/mcp-clients/mcp-clients.ts";

/** A text from a client's file, split into plain parts and references. A reference names another value. */
export type ConfigText = readonly (
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "reference"; readonly name: string }
)[];

/**
 * The error for a server that cannot be imported. The import leaves the server as it is, and the plan reports the
 * reason.
 */
export class UnsupportedServerError extends Error {}

/** Parses a text as the client would, as far as Paraph can do so outside the client. */
export function parseConfigText(
  text: string,
  references: ReferenceSyntax,
  where: ClientLocation,
  project: string | undefined,
): ConfigText {
  if (references === "none") {
    if (!text.includes("${")) return [{ kind: "plain", text }];
    throw new UnsupportedServerError(
      "it contains `${`, which its client leaves unchanged but Paraph would expand",
    );
  }
  const pattern = references === "shell" ? shellReference : editorReference;
  const parts: ConfigText[number][] = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push({ kind: "plain", text: text.slice(at, found.index) });
    parts.push(resolveReference(found, where, project));
    at = found.index + found[0].length;
  }
  parts.push({ kind: "plain", text: text.slice(at) });
  const read = parts.filter((part) => part.kind === "reference" || part.text !== "");
  if (read.some((part) => part.kind === "plain" && part.text.includes("${")))
    throw new UnsupportedServerError("it contains a `${` that Paraph cannot parse");
  return read;
}

/** Formats a text for the gateway's configuration. */
export function formatConfigText(text: ConfigText): string {
  return text.map((part) => (part.kind === "plain" ? part.text : `\${${part.name}}`)).join("");
}

const shellReference = /\$\{(?<name>[A-Za-z_]\w*)(?::-(?<otherwise>[^}]*))?\}|\$(?<bare>[A-Za-z_]\w*)/g;
const editorReference = /\$\{(?:(?<kind>env|input):)?(?<name>[^}${]+)\}/g;

function resolveReference(
  { groups = {} }: RegExpExecArray | RegExpMatchArray,
  where: ClientLocation,
  project: string | undefined,
): ConfigText[number] {
  const { kind, otherwise } = groups;
  const name = groups.name ?? groups.bare ?? "";
  const known = kind === undefined ? listKnownFolders(where, project)[name] : undefined;
  if (known !== undefined) return { kind: "plain", text: known };
  if (kind === "input") return { kind: "reference", name: toSecretName("input", name) };
  if (otherwise !== undefined && !where.environment[name]) return { kind: "plain", text: otherwise };
  if (/^[A-Z][A-Z0-9_]{0,62}$/.test(name)) return { kind: "reference", name };
  throw new UnsupportedServerError(`it refers to the variable \`${name}\`, which Paraph does not support`);
}

/**
 * Returns the folders that clients refer to by name. The import inserts their paths on this machine, because the same
 * names mean different folders in a deployment.
 */
function listKnownFolders(
  { home }: ClientLocation,
  project: string | undefined,
): Record<string, string | undefined> {
  return { HOME: home, userHome: home, workspaceFolder: project, PWD: project, "/": "/", pathSeparator: "/" };
}

/** Builds a valid name for a secret. */
export function toSecretName(...parts: readonly string[]): string {
  const joined = parts
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^[^A-Z]+|_+$/g, "");
  return joined.slice(0, 60) || "SECRET";
}
