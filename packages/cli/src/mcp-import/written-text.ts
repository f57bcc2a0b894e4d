import type { References, Where } from "./clients.ts";

/** A text of a client's file: what it says itself, and what it takes from elsewhere, by name. */
export type WrittenText = readonly (
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "reference"; readonly name: string }
)[];

/** Why a server cannot be taken over: it is left as it is, and people are told. */
export class Unfit extends Error {}

/** What a client would make of a text, as far as that can be said of another program, at another time. */
export function readText(
  text: string,
  references: References,
  where: Where,
  project: string | undefined,
): WrittenText {
  if (references === "none") {
    if (!text.includes("${")) return [{ kind: "plain", text }];
    throw new Unfit("it has `${` in it, which its client takes as it is and Paraph would fill in");
  }
  const pattern = references === "shell" ? shellReference : editorReference;
  const parts: WrittenText[number][] = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push({ kind: "plain", text: text.slice(at, found.index) });
    parts.push(meaning(found, where, project));
    at = found.index + found[0].length;
  }
  parts.push({ kind: "plain", text: text.slice(at) });
  const read = parts.filter((part) => part.kind === "reference" || part.text !== "");
  if (read.some((part) => part.kind === "plain" && part.text.includes("${")))
    throw new Unfit("it has a `${` in it that nobody here can read");
  return read;
}

/** As the gateway's configuration has it. */
export function writtenFor(text: WrittenText): string {
  return text.map((part) => (part.kind === "plain" ? part.text : `\${${part.name}}`)).join("");
}

const shellReference = /\$\{(?<name>[A-Za-z_]\w*)(?::-(?<otherwise>[^}]*))?\}|\$(?<bare>[A-Za-z_]\w*)/g;
const editorReference = /\$\{(?:(?<kind>env|input):)?(?<name>[^}${]+)\}/g;

function meaning(
  { groups = {} }: RegExpExecArray | RegExpMatchArray,
  where: Where,
  project: string | undefined,
): WrittenText[number] {
  const { kind, otherwise } = groups;
  const name = groups.name ?? groups.bare ?? "";
  const known = kind === undefined ? places(where, project)[name] : undefined;
  if (known !== undefined) return { kind: "plain", text: known };
  if (kind === "input") return { kind: "reference", name: secretName("input", name) };
  if (otherwise !== undefined && !where.environment[name]) return { kind: "plain", text: otherwise };
  if (/^[A-Z][A-Z0-9_]{0,62}$/.test(name)) return { kind: "reference", name };
  throw new Unfit(`it refers to \`${name}\`, which Paraph has no such thing for`);
}

/** Folders that clients know by name; a deployment's own are others. */
function places({ home }: Where, project: string | undefined): Record<string, string | undefined> {
  return { HOME: home, userHome: home, workspaceFolder: project, PWD: project, "/": "/", pathSeparator: "/" };
}

/** A name as secrets have it. */
export function secretName(...parts: readonly string[]): string {
  const joined = parts
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^[^A-Z]+|_+$/g, "");
  return joined.slice(0, 60) || "SECRET";
}
