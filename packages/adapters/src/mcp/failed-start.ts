import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AdapterContext } from "@paraph/core";
import { redactSecrets } from "../egress/secrets.ts";
import type { McpStdioConfig } from "./config.ts";

/**
 * Explains how to find out why a local server did not start. What the server printed to its standard error goes to a
 * file that only the operator can read. [P10] Errors and logs do not quote it, because it may contain any data.
 */
export async function explainFailedStart(
  { command, sandbox }: McpStdioConfig,
  { name, folder }: Pick<AdapterContext, "name" | "folder">,
  printed: string,
  secrets: readonly string[],
): Promise<string> {
  const file = join(".paraph", "mcp-output", `${name}.txt`);
  const isSaved = printed !== "" && (await isWritten(join(folder, file), redactSecrets(printed, secrets)));
  const silence = printed === "" ? "It printed nothing. " : "";
  const output = isSaved
    ? `Its output is in \`${file}\`.`
    : `${silence}Run its command manually to find the cause.`;
  if (!sandbox) return output;
  const read = "If it does not find a file, add the file's folder to `read` of its `sandbox`.";
  // After npx is killed while it installs a package, it keeps using the incomplete package.
  return basename(command) === "npx" && sandbox.home !== undefined
    ? `${output} ${read} If the installation of its package was interrupted, delete \`${join(sandbox.home, ".npm", "_npx")}\`.`
    : `${output} ${read}`;
}

/**
 * Writes the file if `.paraph` exists. `paraph dev` creates that folder, and refuses one that it did not create.
 * [TRUST 31] A link in place of the file is replaced, not followed, because the folder may come from a stranger.
 */
async function isWritten(file: string, text: string): Promise<boolean> {
  try {
    await mkdir(dirname(file), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await rm(file, { force: true });
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    return true;
  } catch {
    return false;
  }
}
