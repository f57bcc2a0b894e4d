import { realpath, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { Where } from "./clients.ts";
import { Unfit } from "./written-text.ts";

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
export async function programOf(command: string, cwd: string | undefined, where: Where): Promise<Program> {
  // Loaded for imports alone: whoever only asks whether a path is the system's need not wait for it.
  const server = await import("@paraph/server");
  const path = await found(command, cwd, where, server);
  const name = command.split(sep).at(-1)!;
  if (isSystems(path)) return { command: isAbsolute(command) ? command : name, name, read: [] };
  const folder = dirname(path);
  const read = [
    ...new Set([await installationOf(folder), await installationOf(dirname(await realpath(path)))]),
  ];
  return { command: path, name, read, path: [folder, ...server.searchPath].join(delimiter) };
}

/** Whether every sandbox shows it. */
export function isSystems(path: string): boolean {
  return /^\/(?:usr|bin|sbin|lib\w*)\//.test(path);
}

async function found(
  command: string,
  cwd: string | undefined,
  { environment }: Where,
  { programOf, searchPath }: Pick<typeof import("@paraph/server"), "programOf" | "searchPath">,
): Promise<string> {
  if (command.includes("/") && !isAbsolute(command) && cwd === undefined)
    throw new Unfit("its program is named from wherever its client was started");
  const folders = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  const path = command.includes("/")
    ? await programOf(resolve(cwd ?? "/", command))
    : await programOf(command, [...folders, ...searchPath]);
  if (path === undefined) throw new Unfit(`there is no program \`${command}\` here`);
  return path;
}

/** The folder of programs itself, or all of an installation of Node or Python that it belongs to; never a whole home. */
async function installationOf(folder: string): Promise<string> {
  const parent = dirname(folder);
  const isOne = await Promise.all(
    ["lib/node_modules", "pyvenv.cfg"].map((part) => stat(join(parent, part)).then(Boolean, () => false)),
  );
  return folder.endsWith(`${sep}bin`) && isOne.includes(true) ? parent : folder;
}
