import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { CapabilityError } from "@paraph/core";
import { z } from "zod";

/** A stored login: the tokens, with their server, issuer and client. */
export type StoredLogin = z.output<typeof storedLogin>;

const storedLogin = z.strictObject({
  /** The address of the MCP server. The access token is sent only there. */
  server: z.string(),
  /** The issuer that a person confirmed. The refresh token is sent only there. */
  issuer: z.string(),
  resource: z.string().optional(),
  /**
   * The client. Paraph stores its secret only if Paraph registered the client itself. The secret of a configured client
   * is a named secret instead.
   */
  client: z.strictObject({ id: z.string(), secret: z.string().optional() }),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** The expiry in milliseconds since 1970. Some issuers do not state an expiry. */
  expiresAt: z.number().optional(),
  scope: z.string().optional(),
});

export interface LoginLocation {
  /** The folder of the configuration. */
  readonly folder: string;
  readonly adapter: string;
}

type SaveLogin = (login: StoredLogin | undefined) => void;

/**
 * The login of one adapter, shared by all processes of this machine. A refresh token may be valid only once, so a
 * process needs exclusive access to use it. The store uses SQLite, because the system releases a SQLite lock when a
 * process dies. A lock file would remain.
 */
export class LoginStore {
  readonly #path: string;

  constructor({ folder, adapter }: LoginLocation) {
    this.#path = join(folder, ".paraph", "mcp-logins", `${adapter}.sqlite`);
  }

  async read(): Promise<StoredLogin | undefined> {
    if (!existsSync(this.#path)) return undefined;
    using database = await retryWhileBusy(() => this.#open());
    return await retryWhileBusy(() => readLogin(database));
  }

  /** Runs `body` with exclusive access to the login. Afterwards, the login that `body` passed to `keep` is on disk. */
  async withLock<T>(body: (login: StoredLogin | undefined, keep: SaveLogin) => Promise<T>): Promise<T> {
    await this.#make();
    using database = await retryWhileBusy(() => this.#open());
    await retryWhileBusy(() => database.exec("begin immediate"));
    // If `body` throws or the process crashes before the commit, the stored login does not change.
    const login = await retryWhileBusy(() => readLogin(database));
    const result = await body(login, (next) => replaceLogin(database, next));
    await retryWhileBusy(() => database.exec("commit"));
    return result;
  }

  #open(): DatabaseSync {
    // Disables SQLite's own timeout, because it would block this process during the wait.
    return new DatabaseSync(this.#path, { timeout: 0 });
  }

  /** Creates the file so that only this user can read it. SQLite gives its journal the same mode. */
  async #make(): Promise<void> {
    try {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await (await open(this.#path, "a", 0o600)).close();
    } catch {
      throw storeUnusableFault();
    }
    using database = await retryWhileBusy(() => this.#open());
    await retryWhileBusy(() => database.exec("create table if not exists login (content text not null)"));
  }
}

function readLogin(database: DatabaseSync): StoredLogin | undefined {
  const row = database.prepare("select content from login").get();
  return row && storedLogin.parse(JSON.parse(String(row.content)));
}

function replaceLogin(database: DatabaseSync, next: StoredLogin | undefined): void {
  database.exec("delete from login");
  if (next) database.prepare("insert into login values (?)").run(JSON.stringify(next));
}

async function retryWhileBusy<T>(body: () => T): Promise<T> {
  const until = performance.now() + maxWaitMs;
  for (;;) {
    try {
      return body();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw storeUnusableFault();
      if (performance.now() > until) throw storeBusyFault();
      await pause(25);
    }
  }
}

const sqliteBusy = 5;
/** The maximum time to wait for the lock. It is longer than the timeout of a refresh. */
const maxWaitMs = 20_000;

function storeUnusableFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "mcp-login-unusable",
    "Paraph can't read or write the stored logins. Check the permissions of `.paraph/mcp-logins`, or remove it and log in again.",
  );
}

function storeBusyFault(): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-login-taken",
    "Another process locked the stored login for too long. Paraph will retry.",
  );
}
