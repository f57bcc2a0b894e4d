import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findStateHome } from "@paraph/server/local-record";
import { CliError } from "../cli-error.ts";

/** The login that `paraph login` stores: one server, with the key of a person, of an agent, or of both. */
export interface StoredLogin {
  readonly url: string;
  readonly person?: string;
  readonly agent?: string;
}

/**
 * Returns the file of the stored login. It is in the state folder, beside the keys of `paraph dev`, because hooks and
 * adapters refuse every access to that folder.
 */
export function findLoginFile(environment: NodeJS.ProcessEnv): string {
  return join(findStateHome(environment), "login.json");
}

/** Reads the stored login, or returns undefined if there is none. Refuses a file that other users can read or write. */
export async function readLogin(environment: NodeJS.ProcessEnv): Promise<StoredLogin | undefined> {
  const path = findLoginFile(environment);
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw unreadableError(path, error);
  });
  if (!file) return undefined;
  try {
    const { uid, mode } = await file.stat();
    const user = process.getuid?.();
    if (user !== undefined && (uid !== user || (mode & 0o077) !== 0))
      throw new CliError(
        "login-exposed",
        `Other users can read or change the stored login \`${path}\`. Run \`paraph logout\` and revoke its key, then sign in again with \`paraph login\`.`,
      );
    const login = JSON.parse(await file.readFile("utf8")) as StoredLogin;
    if (typeof login.url !== "string") throw new TypeError("The field `url` is missing.");
    return login;
  } catch (error) {
    throw error instanceof CliError ? error : unreadableError(path, error);
  } finally {
    await file.close();
  }
}

/** Stores a login, readable only by this user. Replaces the file atomically. */
export async function writeLogin(environment: NodeJS.ProcessEnv, login: StoredLogin): Promise<void> {
  const path = findLoginFile(environment);
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // The draft must be new, because an existing file would keep its own mode.
    await rm(draft, { force: true });
    await writeFile(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (cause) {
    throw new CliError(
      "login-not-stored",
      `The login cannot be stored in \`${path}\` (${(cause as NodeJS.ErrnoException).code}). Sign in as a user who can write there, or set PARAPH_URL and the key in PARAPH_APPROVER_KEY or PARAPH_KEY.`,
      { cause },
    );
  }
}

/** Deletes the stored login. Returns whether there was one. */
export async function deleteLogin(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const path = findLoginFile(environment);
  const found = await stat(path).catch(() => undefined);
  await rm(path, { force: true });
  return found !== undefined;
}

function unreadableError(path: string, cause: unknown): CliError {
  return new CliError(
    "login-unreadable",
    `The stored login \`${path}\` cannot be read. Sign in again with \`paraph login\`.`,
    { cause },
  );
}
