import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
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
  /**
   * The folder that contains the migrations, the functions and the generation (default: the folder of this version).
   */
  readonly folder?: string;
}

/**
 * Migrates a database to this version, as its owner. Each numbered migration runs once, and the functions are created
 * again whenever their text changes. Several processes may call this function at the same time.
 */
export async function migrateDatabase(
  ownerUrl: string,
  { allowDowngrade = false, folder = sqlFolder }: MigrateOptions = {},
): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(7411)");
    await client.query(
      "create table if not exists public.paraph_migration (name text primary key, hash text not null)",
    );
    const done = new Map<string, string>(
      (await client.query("select name, hash from public.paraph_migration")).rows.map((row) => [
        row.name,
        row.hash,
      ]),
    );
    const generation = await readGeneration(folder);
    const texts = await readSqlFiles(folder, "migrations");
    rejectNewerSchema(done, texts, generation, allowDowngrade);
    rejectChangedMigration(done, texts);
    // Sets the generation of this version. The database rejects the writes below if an older version makes them,
    // because an older version sets no generation or a lower one.
    await client.query(
      "select set_config('paraph.generation', $1, true), set_config('paraph.downgrade', $2, true)",
      [...[String(generation.generation), allowDowngrade ? "on" : "off"]],
    );
    for (const [name, text] of texts) {
      if (done.has(name)) continue;
      await client.query(text);
      await recordApplied(client, name, hashText(text));
    }
    await refreshFunctions(client, done, folder, generation);
    await client.query("commit");
  } finally {
    await client.end();
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
        : "Start the newer version. To downgrade, stop every newer process and set PARAPH_ALLOW_DOWNGRADE=1 for one start."),
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
  done: ReadonlyMap<string, string>,
  folder: string,
  { generation, serves }: Generation,
): Promise<void> {
  const whole = [...(await readSqlFiles(folder, "functions")).values()].join("\n");
  if (done.get("functions") === hashText(whole) && done.get("generation") === String(generation)) return;
  await client.query("set local check_function_bodies = off");
  await client.query(whole);
  await client.query(
    `create or replace function paraph.schema_generation() returns table (generation int, serves int)
     language sql immutable as 'select ${generation}, ${serves}'`,
  );
  await recordApplied(client, "functions", hashText(whole));
  await recordApplied(client, "generation", String(generation));
}

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
