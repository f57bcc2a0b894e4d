import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { CapabilityError } from "@paraph/core";
import type { z } from "zod";

export interface LockedValueOptions<T> {
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** Creates the fault for a file that cannot be read or written. */
  readonly unusableFault: () => CapabilityError;
  /** Creates the fault for a lock that another process holds for too long. */
  readonly busyFault: () => CapabilityError;
}

type SaveValue<T> = (value: T | undefined) => void;

/**
 * One value on disk, such as the tokens of a login, shared by all processes of this machine. A refresh token may be
 * valid only once, so a process needs exclusive access to use it. The file is a SQLite database, because the system
 * releases a SQLite lock when a process dies. A lock file would remain.
 */
export class LockedValue<T> {
  readonly #options: LockedValueOptions<T>;

  constructor(options: LockedValueOptions<T>) {
    this.#options = options;
  }

  async read(): Promise<T | undefined> {
    if (!existsSync(this.#options.path)) return undefined;
    using database = await this.#retryWhileBusy(() => this.#open());
    return await this.#retryWhileBusy(() => this.#readValue(database));
  }

  /** Runs `body` with exclusive access to the value. Afterwards, the value that `body` passed to `keep` is on disk. */
  async withLock<R>(body: (value: T | undefined, keep: SaveValue<T>) => Promise<R>): Promise<R> {
    await this.#make();
    using database = await this.#retryWhileBusy(() => this.#open());
    await this.#retryWhileBusy(() => database.exec("begin immediate"));
    // If `body` throws or the process crashes before the commit, the stored value does not change.
    const value = await this.#retryWhileBusy(() => this.#readValue(database));
    const result = await body(value, (next) => replaceValue(database, next));
    await this.#retryWhileBusy(() => database.exec("commit"));
    return result;
  }

  #open(): DatabaseSync {
    // Disables SQLite's own timeout, because it would block this process during the wait.
    return new DatabaseSync(this.#options.path, { timeout: 0 });
  }

  /** Creates the file so that only this user can read it. SQLite gives its journal the same mode. */
  async #make(): Promise<void> {
    const { path, unusableFault } = this.#options;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await (await open(path, "a", 0o600)).close();
    } catch {
      throw unusableFault();
    }
    using database = await this.#retryWhileBusy(() => this.#open());
    await this.#retryWhileBusy(() =>
      database.exec("create table if not exists login (content text not null)"),
    );
  }

  #readValue(database: DatabaseSync): T | undefined {
    const row = database.prepare("select content from login").get();
    return row && this.#options.schema.parse(JSON.parse(String(row.content)));
  }

  async #retryWhileBusy<R>(body: () => R): Promise<R> {
    const until = performance.now() + maxWaitMs;
    for (;;) {
      try {
        return body();
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== sqliteBusy) throw this.#options.unusableFault();
        if (performance.now() > until) throw this.#options.busyFault();
        await pause(25);
      }
    }
  }
}

function replaceValue(database: DatabaseSync, next: unknown): void {
  database.exec("delete from login");
  if (next !== undefined) database.prepare("insert into login values (?)").run(JSON.stringify(next));
}

const sqliteBusy = 5;
/** The maximum time to wait for the lock. It is longer than the timeout of a request for a token. */
const maxWaitMs = 20_000;
