import { readFileSync } from "node:fs";
import { join } from "node:path";
import { edited, type FileEdit, openForEdit } from "../file-edits/index.ts";
import { hidden } from "./entry.ts";
import type { GatewayDocument } from "./gateway-document.ts";
import { type GatewayServer, homeOf } from "./gateway-server.ts";
import type { Secrets } from "./secrets.ts";

/** The files of Paraph's own that an import writes: what servers there are, their secrets, the folders they keep. */
export async function gatewayEdits(
  folder: string,
  document: GatewayDocument,
  secrets: Secrets,
): Promise<FileEdit[]> {
  const used = new Set([...document.added.values()].flatMap(referencesIn));
  const values = [...secrets.values].filter(([name]) => used.has(name));
  const homes = [...document.added].filter(([, server]) => hasHome(server));
  const made = await Promise.all([
    ...(values.length > 0 ? [newFile(join(folder, "secrets", ".gitignore"), "*\n")] : []),
    ...values.map(([name, value]) => newFile(secretFile(folder, name), `${value}\n`, hidden)),
    // A folder has to be there for a sandbox to show it.
    ...homes.map(([name]) => newFile(join(folder, homeOf(name), ".gitignore"), "*\n")),
  ]);
  const edit = document.edit();
  return [...made.flat(), ...(edit ? [edit] : [])];
}

/** The secrets that a server names. */
export function referencesIn(server: GatewayServer): string[] {
  return [...JSON.stringify(server).matchAll(/\$\{([A-Z][A-Z0-9_]*)\}/g)].map(([, name]) => name!);
}

/** The value of a secret that is kept already. */
export function keptSecret(folder: string, name: string): string | undefined {
  try {
    return readFileSync(secretFile(folder, name), "utf8").trimEnd();
  } catch {
    return undefined;
  }
}

/** Where Paraph looks for a secret of the deployment. */
function secretFile(folder: string, name: string): string {
  return join(folder, "secrets", "deployment", name);
}

/** None where it is there already. */
async function newFile(path: string, text: string, shown = text): Promise<FileEdit[]> {
  const found = await openForEdit(path);
  if (found.state.kind === "file") return [];
  return [
    edited(found, [{ start: 0, end: 0, text, place: "all of it", shown: { before: "", after: shown } }]),
  ];
}

function hasHome(server: GatewayServer): boolean {
  return server.kind === "stdio" && typeof server.sandbox === "object" && server.sandbox.home !== undefined;
}
