import { readTextFile } from "../../lib/read-text-file.ts";

export interface PolicyCandidate {
  readonly sources: readonly { readonly file: string; readonly text: string }[];
  readonly replace: boolean;
  readonly preset?: string;
  readonly unattended?: readonly string[];
  readonly checkLevels?: unknown;
}

/**
 * Loads the candidate policy. Without files, the candidate is the whole policy set of this folder's configuration. With
 * files, the candidate is the active policy plus the files. If `replace` is set, the candidate is only the files.
 */
export async function loadPolicyCandidate(
  folder: string,
  files: readonly string[],
  replace: boolean,
): Promise<PolicyCandidate> {
  return files.length > 0
    ? { sources: await readSources(folder, files), replace }
    : loadConfiguredPolicy(folder);
}

async function readSources(folder: string, files: readonly string[]) {
  return Promise.all(files.map(async (file) => ({ file, text: await readTextFile(folder, file) })));
}

/** Loads the whole policy set of this folder's configuration. The set replaces the active policy. */
async function loadConfiguredPolicy(folder: string) {
  const { openPolicyWorkbench } = await import("./policy-workbench.ts");
  const { preset, sources, unattended, checkLevels } = (await openPolicyWorkbench(folder)).createDocument();
  return { preset: preset.name, sources, unattended, checkLevels, replace: true };
}
