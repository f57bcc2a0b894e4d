import { execFile } from "node:child_process";
import { chmod, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { ServerError } from "./server-error.ts";

export type SystemUser = { name: string; uid: number; gid: number };

/**
 * Returns the user that must run PostgreSQL if this process is root, because PostgreSQL refuses to run as root. If this
 * process is not root, returns undefined, which means the current user.
 */
export async function findPostgresUser(dataFolder: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // Existing data keeps its owner, for example when a user later runs the same project with sudo.
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner && owner.uid !== 0) return { name: `user ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  return (await findUser("postgres")) ?? (await findUser("nobody")) ?? rejectRoot();
}

/** Lets other users enter the folder, but not list it. */
export async function allowTraversal(folder: string): Promise<void> {
  const { uid, mode } = await stat(folder);
  if (uid === process.getuid?.()) await chmod(folder, (mode & 0o777) | 0o711);
}

/** Throws a clear error if `user` cannot reach `path`. The error from PostgreSQL itself would be cryptic. */
export async function requireTraversable(path: string, user: SystemUser): Promise<void> {
  for (const folder of listAncestors(await realpath(path))) {
    const { uid, gid, mode } = await stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if (mode & bit) continue;
    throw new ServerError(
      "not-traversable",
      `PostgreSQL cannot run as root, so Paraph runs it as \`${user.name}\`. This user is not permitted to enter \`${folder}\`, which is part of the path \`${path}\`. Run Paraph as a normal user, move the project to a folder that other users can enter, or set DATABASE_URL to use your own PostgreSQL.`,
    );
  }
}

/** `/a/b` gives `/`, `/a`, `/a/b`. */
function listAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...listAncestors(parent), path];
}

async function findUser(name: string): Promise<SystemUser | undefined> {
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => promisify(execFile)("id", [flag, name])));
    return { name, uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
  } catch {
    return undefined;
  }
}

function rejectRoot(): never {
  throw new ServerError(
    "unsupported-platform",
    "PostgreSQL cannot run as root, and this system has no user `postgres` or `nobody` to run it as. Run Paraph as a normal user, or set DATABASE_URL to use your own PostgreSQL.",
  );
}
