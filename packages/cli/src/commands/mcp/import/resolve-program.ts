import { realpath, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";
import { UnsupportedServerError } from "./config-text.ts";

/** A program as the gateway starts it: by its name where the system has it, else by its path and with what it needs. */
export interface Program {
  readonly command: string;
  readonly name: string;
  /** Folders outside of the system's that it cannot do without. */
  readonly read: readonly string[];
  /** Where programs are looked for that it starts in turn; undefined for the system's own folders. */
  readonly path?: string;
}

/** What a client would start: found as the shell of whoever imports finds it. */
export async function resolveProgram(
  command: string,
  cwd: string | undefined,
  where: ClientLocation,
): Promise<Program> {
  // Loaded for imports alone: whoever only asks whether a path is the system's need not wait for it.
  const server = await import("@paraph/server");
  const path = await locateProgram(command, cwd, where, server);
  const name = command.split(sep).at(-1)!;
  if (isSystemPath(path)) return { command: isAbsolute(command) ? command : name, name, read: [] };
  const folder = dirname(path);
  const read = [
    ...new Set([await findInstallation(folder), await findInstallation(dirname(await realpath(path)))]),
  ];
  return { command: path, name, read, path: [folder, ...server.searchPath].join(delimiter) };
}

/** Whether every sandbox shows it. */
export function isSystemPath(path: string): boolean {
  return /^\/(?:usr|bin|sbin|lib\w*)\//.test(path);
}

async function locateProgram(
  command: string,
  cwd: string | undefined,
  { environment }: ClientLocation,
  { findProgram, searchPath }: Pick<typeof import("@paraph/server"), "findProgram" | "searchPath">,
): Promise<string> {
  if (command.includes("/") && !isAbsolute(command) && cwd === undefined)
    throw new UnsupportedServerError("its program is named from wherever its client was started");
  const folders = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  const path = command.includes("/")
    ? await findProgram(resolve(cwd ?? "/", command))
    : await findProgram(command, [...folders, ...searchPath]);
  if (path === undefined) throw new UnsupportedServerError(`there is no program \`${command}\` here`);
  return path;
}

/** The folder of programs itself, or all of an installation of Node or Python that it belongs to; never a whole home. */
async function findInstallation(folder: string): Promise<string> {
  const parent = dirname(folder);
  const isOne = await Promise.all(
    ["lib/node_modules", "pyvenv.cfg"].map((part) => stat(join(parent, part)).then(Boolean, () => false)),
  );
  return folder.endsWith(`${sep}bin`) && isOne.includes(true) ? parent : folder;
}
