import { realpath, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";
import { UnsupportedServerError } from "./config-text.ts";

/**
 * A program as the gateway starts it: by name if it is a system program, else by its path with the folders that it
 * needs.
 */
export interface Program {
  readonly command: string;
  readonly name: string;
  /** The folders that the program needs, other than the system's folders. */
  readonly read: readonly string[];
  /** The search path for programs that this program starts, or undefined for the system's folders. */
  readonly path?: string;
}

/** Resolves the program that a client would start, with the PATH of the user who imports. */
export async function resolveProgram(
  command: string,
  cwd: string | undefined,
  where: ClientLocation,
): Promise<Program> {
  // The function loads this module only when it runs, because importing `isSystemPath` must be fast.
  const server = await import("@paraph/adapters/process");
  const path = await locateProgram(command, cwd, where, server);
  const name = command.split(sep).at(-1)!;
  if (isSystemPath(path)) return { command: isAbsolute(command) ? command : name, name, read: [] };
  const folder = dirname(path);
  const read = [
    ...new Set([await findInstallation(folder), await findInstallation(dirname(await realpath(path)))]),
  ];
  return { command: path, name, read, path: [folder, ...server.searchPath].join(delimiter) };
}

/** Whether every sandbox contains the path. */
export function isSystemPath(path: string): boolean {
  return /^\/(?:usr|bin|sbin|lib\w*)\//.test(path);
}

async function locateProgram(
  command: string,
  cwd: string | undefined,
  { environment }: ClientLocation,
  { findProgram, searchPath }: Pick<typeof import("@paraph/adapters/process"), "findProgram" | "searchPath">,
): Promise<string> {
  if (command.includes("/") && !isAbsolute(command) && cwd === undefined)
    throw new UnsupportedServerError(
      "its program path is relative to the folder in which its client starts; use an absolute path",
    );
  const folders = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  const path = command.includes("/")
    ? await findProgram(resolve(cwd ?? "/", command))
    : await findProgram(command, [...folders, ...searchPath]);
  if (path === undefined)
    throw new UnsupportedServerError(
      `the program \`${command}\` was not found; install it, or use its full path`,
    );
  return path;
}

/**
 * Returns the installation of Node or Python that a folder of programs belongs to, or the folder itself if there is
 * none.
 */
async function findInstallation(folder: string): Promise<string> {
  const parent = dirname(folder);
  const isOne = await Promise.all(
    ["lib/node_modules", "pyvenv.cfg"].map((part) => stat(join(parent, part)).then(Boolean, () => false)),
  );
  return folder.endsWith(`${sep}bin`) && isOne.includes(true) ? parent : folder;
}
