import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { CapabilityError } from "@paraph/core";
import { z } from "zod";

/** What a person's login left: tokens, and whose and what for they are. */
export type StoredLogin = z.output<typeof storedLogin>;

const storedLogin = z.strictObject({
  /** The MCP server's address: the tokens are sent nowhere else. */
  server: z.string(),
  /** As a person confirmed it: the refresh token is sent nowhere else. */
  issuer: z.string(),
  resource: z.string().optional(),
  /** The secret only of one that registered itself: a configured one is a secret by name. */
  client: z.strictObject({ id: z.string(), secret: z.string().optional() }),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Milliseconds since 1970; some issuers do not say. */
  expiresAt: z.number().optional(),
  scope: z.string().optional(),
});

export interface LoginLocation {
  /** The configuration's. */
  readonly folder: string;
  readonly adapter: string;
}

type SaveLogin = (login: StoredLogin | undefined) => void;

/**
 * The login of one adapter, for every process of this machine. A refresh token may be good for a single use, so whoever
 * uses it must be alone with it: SQLite's lock is let go of by the system when a process dies, which no lock file is.
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

  /** Nobody else reads to change, or changes, what is kept until `body` has settled; what it keeps is then on the disk. */
  async withLock<T>(body: (login: StoredLogin | undefined, keep: SaveLogin) => Promise<T>): Promise<T> {
    await this.#make();
    using database = await retryWhileBusy(() => this.#open());
    await retryWhileBusy(() => database.exec("begin immediate"));
    // Left without a commit, by a throw or by a crash, everything is as before.
    const login = await retryWhileBusy(() => readLogin(database));
    const result = await body(login, (next) => replaceLogin(database, next));
    await retryWhileBusy(() => database.exec("commit"));
    return result;
  }

  #open(): DatabaseSync {
    // SQLite's own patience would hold up everything else in this process.
    return new DatabaseSync(this.#path, { timeout: 0 });
  }

  /** For nobody's eyes but ours; SQLite gives its journal the same. */
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

/** SQLITE_BUSY. */
const sqliteBusy = 5;
/** Longer than one who refreshes ever takes. */
const maxWaitMs = 20_000;

function storeUnusableFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "mcp-login-unusable",
    "What is kept of logins cannot be read or written: see to `.paraph/mcp-logins`, or remove it and log in anew.",
  );
}

function storeBusyFault(): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-login-taken",
    "Another process has had the login to itself for too long: it is tried again.",
  );
}
