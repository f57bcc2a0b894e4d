import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { DatabaseError } from "./database.ts";
import { type Generation, readGeneration } from "./generation.ts";

const sqlFolder = fileURLToPath(new URL("./sql/", import.meta.url));

/** Options of `migrateDatabase`. */
export interface MigrateOptions {
  /**
   * Whether this version may restore its own functions in a database that a newer version migrated. The migration still
   * fails if this version does not know every migration in the database.
   */
  readonly allowDowngrade?: boolean;
  /** The folder that contains the SQL files and the generation (default: the folder of this version). */
  readonly folder?: string;
  /** Whether to return the steps that are due without running them. */
  readonly dryRun?: boolean;
  /** Called before each step. */
  readonly onStep?: (step: MigrationStep) => void;
  /** The maximum time to wait for locks and for other processes that migrate (default: one minute). */
  readonly maxWaitMs?: number;
}

/** One step of a migration. */
export interface MigrationStep {
  readonly kind: "migration" | "functions" | "index";
  /** The file of a migration, the generation of the functions, or the name of an index. */
  readonly name: string;
}

/** PostgreSQL's codes for a lock that was not free in time, and for a deadlock. */
const lockErrors = ["55P03", "40P01"];
/** While a migration waits for a lock on a table, all queries of that table wait behind it. */
const lockTimeoutMs = 2_000;

/**
 * Migrates a database to this version, as its owner. Returns the steps that it took. Several processes may call this
 * function at the same time.
 *
 * The numbered migrations and the functions change in one transaction. It gives up waiting for a lock after two
 * seconds and starts again, so that running processes stall only briefly. Indexes on existing tables follow one by one,
 * and are built without blocking writes.
 */
export async function migrateDatabase(
  ownerUrl: string,
  options: MigrateOptions = {},
): Promise<readonly MigrationStep[]> {
  const { dryRun = false, maxWaitMs = 60_000, onStep = () => {} } = options;
  const files = await readFiles(options.folder ?? sqlFolder);
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const deadline = performance.now() + maxWaitMs;
    const findDue = () => findSteps(client, files, options.allowDowngrade === true);
    if (dryRun) return await findDue();
    await waitForOtherMigrations(client, deadline);
    // The database rejects the writes of an older version, because it sets no generation or a lower one.
    await client.query(
      "select set_config('paraph.generation', $1, false), set_config('paraph.downgrade', $2, false)",
      [String(files.generation.generation), options.allowDowngrade ? "on" : "off"],
    );
    const steps = await retryLocks(client, deadline, async () => {
      const due = await findDue();
      await migrateSchema(client, files, due, onStep);
      return due;
    });
    for (const step of steps.filter(({ kind }) => kind === "index")) {
      onStep(step);
      await buildIndex(client, step.name, files.indexes.get(step.name)!);
    }
    return steps;
  } finally {
    await client.end();
  }
}

interface SqlFiles {
  readonly generation: Generation;
  readonly migrations: ReadonlyMap<string, string>;
  readonly functions: string;
  /** The statements that create an index, by the name of the index. */
  readonly indexes: ReadonlyMap<string, string>;
}

async function readFiles(folder: string): Promise<SqlFiles> {
  const indexes = await readSqlFiles(folder, "indexes");
  return {
    generation: await readGeneration(folder),
    migrations: await readSqlFiles(folder, "migrations"),
    functions: [...(await readSqlFiles(folder, "functions")).values()].join("\n"),
    indexes: new Map([...indexes].map(([name, text]) => [name.replace(/\.sql$/, ""), text])),
  };
}

/**
 * Waits until no other process migrates this database. It polls, because a statement that waits would hold a snapshot,
 * and the other process could not build its indexes.
 */
async function waitForOtherMigrations(client: Client, deadline: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query("select pg_try_advisory_lock(7411) as free");
    if (rows[0].free) return;
    if (performance.now() > deadline)
      throw new DatabaseError(
        "migration-blocked",
        "Another process migrates this database, so this one changed nothing. Wait until the other process is done, then run the migration again.",
      );
    await sleep(200);
  }
}

/** Runs the body in a transaction. Repeats it after a lock that was not free in time, until the deadline. */
async function retryLocks<T>(client: Client, deadline: number, body: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      const result = await body();
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      if (!lockErrors.includes(String((error as { code?: unknown }).code))) throw error;
      if (performance.now() > deadline) throw await explainBlocked(client, error);
      await sleep(500);
    }
  }
}

/** Names the oldest transactions of the database, because one of them holds the lock. */
async function explainBlocked(client: Client, cause: unknown): Promise<DatabaseError> {
  const { rows } = await client.query(
    `select pid, coalesce(nullif(application_name, ''), usename) as name, extract(epoch from now() - xact_start)::int as seconds
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 3`,
  );
  const listed = rows.map(({ pid, name, seconds }) => `${name} (process ${pid}, for ${seconds} s)`);
  return new DatabaseError(
    "migration-blocked",
    "The migration did not get its locks in time, because other sessions use the tables. It changed nothing. " +
      (listed.length > 0 ? `The oldest transactions are those of ${listed.join(", ")}. ` : "") +
      "End long transactions, then run the migration again.",
    { cause },
  );
}

async function findSteps(
  client: Client,
  { generation, migrations, functions, indexes }: SqlFiles,
  allowDowngrade: boolean,
): Promise<readonly MigrationStep[]> {
  const done = await readApplied(client);
  rejectNewerSchema(done, migrations, generation, allowDowngrade);
  rejectChangedMigration(done, migrations);
  const isCurrent =
    done.get("functions") === hashText(functions) && done.get("generation") === String(generation.generation);
  return [
    ...[...migrations.keys()]
      .filter((name) => !done.has(name))
      .map((name) => ({ kind: "migration", name }) as const),
    ...(isCurrent ? [] : [{ kind: "functions", name: String(generation.generation) } as const]),
    ...[...indexes.keys()]
      .filter((name) => !done.has(toIndexRecord(name)))
      .map((name) => ({ kind: "index", name }) as const),
  ];
}

async function readApplied(client: Client): Promise<ReadonlyMap<string, string>> {
  const { rows: found } = await client.query(
    "select to_regclass('public.paraph_migration') is not null as it",
  );
  if (!found[0].it) return new Map();
  const { rows } = await client.query("select name, hash from public.paraph_migration");
  return new Map(rows.map((row) => [row.name, row.hash]));
}

async function migrateSchema(
  client: Client,
  { generation, migrations, functions }: SqlFiles,
  due: readonly MigrationStep[],
  onStep: (step: MigrationStep) => void,
): Promise<void> {
  await client.query(
    "create table if not exists public.paraph_migration (name text primary key, hash text not null)",
  );
  for (const step of due) {
    if (step.kind === "index") continue;
    onStep(step);
    if (step.kind === "functions") await refreshFunctions(client, functions, generation);
    else {
      const text = migrations.get(step.name)!;
      await client.query(text);
      await recordApplied(client, step.name, hashText(text));
    }
  }
}

function rejectNewerSchema(
  done: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
  { generation }: Generation,
  allowDowngrade: boolean,
): void {
  const unknown = [...done.keys()].filter((name) => name.endsWith(".sql") && !texts.has(name));
  const there = Number(done.get("generation") ?? 0);
  if (unknown.length === 0 && (there <= generation || allowDowngrade)) return;
  throw new DatabaseError(
    "schema-newer",
    `The database was migrated by a newer version of Paraph (generation ${there}, this version has ${generation}). ` +
      "This version would restore its older functions, so it changed nothing. " +
      (unknown.length > 0
        ? `Start the newer version, or restore a backup from before ${unknown[0]}. A migration can't be reverted.`
        : "Start the newer version. To downgrade, stop every newer process and set PARAPH_ALLOW_DOWNGRADE=1 for one migration and one start."),
  );
}

function rejectChangedMigration(done: ReadonlyMap<string, string>, texts: ReadonlyMap<string, string>): void {
  for (const [name, text] of texts) {
    const applied = done.get(name);
    if (applied === undefined || applied === hashText(text)) continue;
    throw new DatabaseError(
      "migration-changed",
      `The migration ${name} in this database differs from the one in this version. ` +
        "The schema may differ from what this version expects, so it changed nothing. " +
        "Use the version of Paraph that applied the migration, or restore the original file. Do not edit an applied migration.",
    );
  }
}

async function refreshFunctions(
  client: Client,
  functions: string,
  { generation, serves }: Generation,
): Promise<void> {
  await client.query("set local check_function_bodies = off");
  await client.query(functions);
  await client.query(
    `create or replace function paraph.schema_generation() returns table (generation int, serves int)
     language sql immutable as 'select ${generation}, ${serves}'`,
  );
  await recordApplied(client, "functions", hashText(functions));
  await recordApplied(client, "generation", String(generation));
}

/**
 * Builds an index outside a transaction, so that writes continue. It first removes what a build that did not finish
 * left behind.
 */
async function buildIndex(client: Client, name: string, text: string): Promise<void> {
  const { rows } = await client.query(
    "select i.indisvalid as valid from pg_index i where i.indexrelid = to_regclass($1)",
    [`paraph.${name}`],
  );
  if (rows[0]?.valid === false)
    await client.query(`drop index concurrently paraph.${client.escapeIdentifier(name)}`);
  if (rows[0]?.valid !== true) await client.query(text);
  await recordApplied(client, toIndexRecord(name), hashText(text));
}

/** An index does not prevent a downgrade, so its record does not look like that of a migration. */
const toIndexRecord = (name: string): string => `index ${name}`;

async function readSqlFiles(folder: string, kind: string): Promise<Map<string, string>> {
  const names = (await readdir(`${folder}/${kind}`)).filter((name) => name.endsWith(".sql")).sort();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(`${folder}/${kind}/${name}`, "utf8")] as const),
    ),
  );
}

async function recordApplied(client: Client, name: string, value: string): Promise<void> {
  await client.query(
    "insert into public.paraph_migration values ($1, $2) on conflict (name) do update set hash = excluded.hash",
    [name, value],
  );
}

const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");
