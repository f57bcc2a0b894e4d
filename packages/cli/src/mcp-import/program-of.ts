import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
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
  const path = await found(command, cwd, where);
  const name = command.split(sep).at(-1)!;
  if (isSystems(path)) return { command: isAbsolute(command) ? command : name, name, read: [] };
  const folder = dirname(path);
  const read = [
    ...new Set([await installationOf(folder), await installationOf(dirname(await realpath(path)))]),
  ];
  return { command: path, name, read, path: [folder, ...systemPath].join(delimiter) };
}

/** Whether every sandbox shows it. */
export function isSystems(path: string): boolean {
  return /^\/(?:usr|bin|sbin|lib\w*)\//.test(path);
}

const systemPath = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

async function found(command: string, cwd: string | undefined, { environment }: Where): Promise<string> {
  if (command.includes("/")) {
    if (!isAbsolute(command) && cwd === undefined)
      throw new Unfit("its program is named from wherever its client was started");
    const path = resolve(cwd ?? "/", command);
    if (await isProgram(path)) return path;
  } else {
    const folders = [...(environment.PATH ?? "").split(delimiter).filter(isAbsolute), ...systemPath];
    for (const folder of folders) if (await isProgram(join(folder, command))) return join(folder, command);
  }
  throw new Unfit(`there is no program \`${command}\` here`);
}

/** The folder of programs itself, or all of an installation of Node or Python that it belongs to; never a whole home. */
async function installationOf(folder: string): Promise<string> {
  const parent = dirname(folder);
  const isOne = await Promise.all(
    ["lib/node_modules", "pyvenv.cfg"].map((part) => stat(join(parent, part)).then(Boolean, () => false)),
  );
  return folder.endsWith(`${sep}bin`) && isOne.includes(true) ? parent : folder;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
