import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

/** Fixed, so that neither the environment nor a folder somebody can write to decides which program a name means. */
export const searchPath: readonly string[] = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  ...(process.platform === "darwin" ? ["/opt/homebrew/bin"] : []),
];

/** The program a name means. A path that is not absolute means none: it would be looked for in some folder. */
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
