import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../lib/cli-error.ts";

export interface PolicyCandidate {
  readonly sources: readonly { readonly file: string; readonly text: string }[];
  readonly instead: boolean;
  readonly preset?: string;
  readonly unattended?: readonly string[];
  readonly checkLevels?: unknown;
}

/** What would be in force: files laid over what is, or, without any, the whole set as this folder's configuration has it. */
export async function loadPolicyCandidate(
  folder: string,
  files: readonly string[],
  instead: boolean,
): Promise<PolicyCandidate> {
  return files.length > 0
    ? { sources: await readSources(folder, files), instead }
    : loadConfiguredPolicy(folder);
}

async function readSources(folder: string, files: readonly string[]) {
  return Promise.all(
    files.map(async (file) => ({
      file,
      text: await readFile(resolve(folder, file), "utf8").catch((error: NodeJS.ErrnoException) => {
        throw usageError(`\`${file}\` cannot be read (${error.code ?? "unknown error"}).`);
      }),
    })),
  );
}

/** The whole set as this folder's configuration has it, with nothing of what is in force. */
async function loadConfiguredPolicy(folder: string) {
  const { openPolicyWorkbench } = await import("./policy-workbench.ts");
  const { preset, sources, unattended, checkLevels } = (await openPolicyWorkbench(folder)).createDocument();
  return { preset: preset.name, sources, unattended, checkLevels, instead: true };
}
