import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildFileEdit, type FileEdit, openForEdit } from "../../../lib/file-edits/index.ts";
import { hiddenMark } from "../../../lib/mcp-clients/server-entry.ts";
import type { GatewayDocument } from "./gateway-document.ts";
import { type GatewayServer, toHomePath } from "./gateway-server.ts";
import type { SecretStore } from "./secret-store.ts";

/** Builds the edits to Paraph's own files: the servers, their secrets, and their home folders. */
export async function buildGatewayEdits(
  folder: string,
  document: GatewayDocument,
  secrets: SecretStore,
): Promise<FileEdit[]> {
  const used = new Set([...document.added.values()].flatMap(listSecretReferences));
  const values = [...secrets.values].filter(([name]) => used.has(name));
  const homes = [...document.added].filter(([, server]) => hasHome(server));
  const made = await Promise.all([
    ...(values.length > 0 ? [createNewFileEdit(join(folder, "secrets", ".gitignore"), "*\n")] : []),
    ...values.map(([name, value]) => createNewFileEdit(toSecretPath(folder, name), `${value}\n`, hiddenMark)),
    // Creates each home folder with a file in it, because a sandbox can mount only a folder that exists.
    ...homes.map(([name]) => createNewFileEdit(join(folder, toHomePath(name), ".gitignore"), "*\n")),
  ]);
  const edit = document.toEdit();
  return [...made.flat(), ...(edit ? [edit] : [])];
}

export function listSecretReferences(server: GatewayServer): string[] {
  return [...JSON.stringify(server).matchAll(/\$\{([A-Z][A-Z0-9_]*)\}/g)].map(([, name]) => name!);
}

export function readStoredSecret(folder: string, name: string): string | undefined {
  try {
    return readFileSync(toSecretPath(folder, name), "utf8").trimEnd();
  } catch {
    return undefined;
  }
}

/** Returns the file where Paraph looks for a secret of the deployment. */
function toSecretPath(folder: string, name: string): string {
  return join(folder, "secrets", "deployment", name);
}

/** Builds the edit that creates a file. Returns no edit if the file exists. */
async function createNewFileEdit(path: string, text: string, shown = text): Promise<FileEdit[]> {
  const found = await openForEdit(path);
  if (found.state.kind === "file") return [];
  return [
    buildFileEdit(found, [
      { start: 0, end: 0, text, place: "whole file", shown: { before: "", after: shown } },
    ]),
  ];
}

function hasHome(server: GatewayServer): boolean {
  return server.kind === "stdio" && typeof server.sandbox === "object" && server.sandbox.home !== undefined;
}
