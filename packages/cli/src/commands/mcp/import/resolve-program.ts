import { readdir, realpath } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { ClientLocation } from "../../../lib/mcp-clients/mcp-clients.ts";
import { UnsupportedServerError } from "./config-text.ts";
import { containsHome } from "./home-folder.ts";

/**
 * A program as the gateway starts it. For a system program, `read` is empty. For any other program, `command` is the
 * program's path, and `read` lists the folders that the program needs.
 */
export interface Program {
  readonly command: string;
  readonly name: string;
  /** The folders that the program needs, other than the system's folders. */
  readonly read: readonly string[];
  /** The search path for programs that this program starts. If it is unset, the system's folders are searched. */
  readonly path?: string;
}

/** Resolves the program that a client would start. Uses the PATH of the user who runs the import. */
export async function resolveProgram(
  command: string,
  cwd: string | undefined,
  where: ClientLocation,
): Promise<Program> {
  // The function loads `@paraph/adapters/process` on demand, so that a module that imports only `isSystemPath` from
  // this file loads fast.
  const server = await import("@paraph/adapters/process");
  const path = await locateProgram(command, cwd, where, server);
  const name = command.split(sep).at(-1)!;
  if (isSystemPath(path)) return { command: isAbsolute(command) ? command : name, name, read: [] };
  const folder = dirname(path);
  const real = await realpath(path);
  const parts = await Promise.all([...new Set([path, real])].map((each) => findInstallation(each, where)));
  return {
    command: path,
    name,
    read: [...new Set(parts.flat())],
    path: [folder, ...server.searchPath].join(delimiter),
  };
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
 * Returns the paths that a program needs: its folder, and the libraries of the Node or Python installation that it
 * belongs to. The function lists these parts instead of the installation's root, because that root may be the home
 * folder, for example after `npm config set prefix ~`.
 */
async function findInstallation(path: string, where: ClientLocation): Promise<string[]> {
  const folder = dirname(path);
  if (await containsHome(folder, where)) return [path];
  if (basename(folder) !== "bin") return [folder];
  const root = dirname(folder);
  const parts = await Promise.all([
    listEntries(root, /^pyvenv\.cfg$/),
    ...["lib", "lib64"].map((name) => listEntries(join(root, name), /^node_modules$|^(?:lib)?python\d/)),
  ]);
  return [folder, ...parts.flat()];
}

/** Lists the entries of a folder whose names match the pattern. */
async function listEntries(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => pattern.test(name)).map((name) => join(folder, name));
}
