import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

/**
 * The fixed search path for programs. It prevents the environment, or a folder that others can write to, from deciding
 * which program runs.
 */
export const searchPath: readonly string[] = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  ...(process.platform === "darwin" ? ["/opt/homebrew/bin"] : []),
];

/**
 * Returns the path of a program by its name or absolute path. It returns undefined for a relative path, because the
 * meaning of such a path depends on a folder.
 */
export async function findProgram(binary: string, folders = searchPath): Promise<string | undefined> {
  if (isAbsolute(binary)) return (await isProgram(binary)) ? binary : undefined;
  if (!/^[^/\\\0]+$/.test(binary) || binary === "." || binary === "..") return undefined;
  for (const folder of folders) {
    const path = join(folder, binary);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
