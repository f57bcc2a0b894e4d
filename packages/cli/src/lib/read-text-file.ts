import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "./cli-error.ts";

/** Reads a file that the user named. `folder` is the folder of relative paths. */
export async function readTextFile(folder: string, file: string): Promise<string> {
  return readFile(resolve(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw usageError(
      error.code === "ENOENT"
        ? `There is no file \`${file}\`.`
        : `\`${file}\` cannot be read (${error.code ?? "unknown error"}).`,
    );
  });
}
