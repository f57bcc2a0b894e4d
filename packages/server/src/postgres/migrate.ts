import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";

const sql = fileURLToPath(new URL("./sql/", import.meta.url));

/**
 * Brings a database to this version, as its owner: numbered migrations once each, then the functions, which are
 * made anew whenever their text has changed. Safe to run from several processes at once.
 */
export async function migrate(ownerUrl: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(7411)");
    await client.query(
      "create table if not exists public.paraph_migration (name text primary key, hash text not null)",
    );
    const done = new Map(
      (await client.query("select name, hash from public.paraph_migration")).rows.map((row) => [
        row.name,
        row.hash,
      ]),
    );
    for (const name of await names("migrations")) {
      const text = await readFile(`${sql}migrations/${name}`, "utf8");
      if (done.has(name)) continue;
      await client.query(text);
      await remember(client, name, text);
    }
    await refreshFunctions(client, done.get("functions"));
    await client.query("commit");
  } finally {
    await client.end();
  }
}

async function refreshFunctions(client: Client, applied: string | undefined): Promise<void> {
  const texts = await Promise.all(
    (await names("functions")).map((name) => readFile(`${sql}functions/${name}`, "utf8")),
  );
  const whole = texts.join("\n");
  if (applied === hash(whole)) return;
  await client.query("set local check_function_bodies = off");
  await client.query(whole);
  await remember(client, "functions", whole);
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(sql + folder)).filter((name) => name.endsWith(".sql")).sort();
}

async function remember(client: Client, name: string, text: string): Promise<void> {
  await client.query(
    "insert into public.paraph_migration values ($1, $2) on conflict (name) do update set hash = excluded.hash",
    [name, hash(text)],
  );
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
