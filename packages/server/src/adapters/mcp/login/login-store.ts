import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { CapabilityError } from "@paraph/core";
import { z } from "zod";

/** What a person's login left: tokens, and whose and what for they are. */
export type Login = z.output<typeof login>;

const login = z.strictObject({
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

export interface LoginPlace {
  /** The configuration's. */
  readonly folder: string;
  readonly adapter: string;
}

type Keep = (login: Login | undefined) => void;

/**
 * The login of one adapter, for every process of this machine. A refresh token may be good for a single use, so whoever
 * uses it must be alone with it: SQLite's lock is let go of by the system when a process dies, which no lock file is.
 */
export class LoginStore {
  readonly #path: string;

  constructor({ folder, adapter }: LoginPlace) {
    this.#path = join(folder, ".paraph", "mcp-logins", `${adapter}.sqlite`);
  }

  async read(): Promise<Login | undefined> {
    if (!existsSync(this.#path)) return undefined;
    using database = await whenFree(() => this.#open());
    return await whenFree(() => loginIn(database));
  }

  /** Nobody else reads to change, or changes, what is kept until `body` has settled; what it keeps is then on the disk. */
  async alone<T>(body: (login: Login | undefined, keep: Keep) => Promise<T>): Promise<T> {
    await this.#make();
    using database = await whenFree(() => this.#open());
    await whenFree(() => database.exec("begin immediate"));
    // Left without a commit, by a throw or by a crash, everything is as before.
    const login = await whenFree(() => loginIn(database));
    const result = await body(login, (next) => replace(database, next));
    await whenFree(() => database.exec("commit"));
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
      throw unusable();
    }
    using database = await whenFree(() => this.#open());
    await whenFree(() => database.exec("create table if not exists login (content text not null)"));
  }
}

function loginIn(database: DatabaseSync): Login | undefined {
  const row = database.prepare("select content from login").get();
  return row && login.parse(JSON.parse(String(row.content)));
}

function replace(database: DatabaseSync, next: Login | undefined): void {
  database.exec("delete from login");
  if (next) database.prepare("insert into login values (?)").run(JSON.stringify(next));
}

async function whenFree<T>(body: () => T): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return body();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy) throw unusable();
      if (performance.now() > until) throw taken();
      await pause(25);
    }
  }
}

/** SQLITE_BUSY. */
const busy = 5;
/** Longer than one who refreshes ever takes. */
const patienceMs = 20_000;

function unusable(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "mcp-login-unusable",
    "What is kept of logins cannot be read or written: see to `.paraph/mcp-logins`, or remove it and log in anew.",
  );
}

function taken(): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-login-taken",
    "Another process has had the login to itself for too long: it is tried again.",
  );
}
