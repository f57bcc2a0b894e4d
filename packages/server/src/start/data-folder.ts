import { access, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findClaimFile, findRecordFile } from "./local-record.ts";

/** An error for a data folder that Paraph must not use. */
export class DataFolderError extends Error {
  override readonly name = "DataFolderError";
  readonly code = "data-foreign";
}

const ignoreFiles = [".gitignore", ".ignore"];

/**
 * Claims the data folder for this user. Refuses a folder whose contents this user's `paraph dev` did not create. Such
 * contents may come from a cloned project, with a foreign signing key or with PostgreSQL settings that start programs.
 */
export async function claimFolder(
  folder: string,
  environment: NodeJS.ProcessEnv,
  { adopt = false }: { readonly adopt?: boolean | undefined } = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const claim = await findClaimFile(folder, environment);
  const isOwn = (await hasFile(claim)) || (await hasFile(await findRecordFile(folder, environment)));
  const contents = (await readdir(folder)).filter((name) => !ignoreFiles.includes(name));
  if (!isOwn && !adopt && contents.length > 0)
    throw new DataFolderError(
      `\`${folder}\` contains data that your \`paraph dev\` did not create. The data may have come with a copy of the project. If you moved or restored the data yourself, run \`paraph dev --adopt\`. Otherwise, delete this folder.`,
    );
  // Writes the claim first, because an interrupted start leaves contents in the folder but no record. The claim then
  // shows that this user's `paraph dev` created the contents.
  await mkdir(join(claim, ".."), { recursive: true, mode: 0o700 });
  await writeFile(claim, "", { mode: 0o600 });
  await writeIgnoreFiles(folder);
}

/**
 * Keeps keys and data out of version control and out of coding agents' searches. Both files are needed, because ripgrep
 * honours `.gitignore` only in a repository, but `.ignore` everywhere. An existing file is not overwritten, so that
 * users can choose otherwise.
 */
async function writeIgnoreFiles(folder: string): Promise<void> {
  for (const name of ignoreFiles)
    await writeFile(join(folder, name), "*\n", { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
}

function hasFile(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
