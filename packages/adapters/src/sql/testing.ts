import { randomBytes } from "node:crypto";
import type { Adapter, Capability, ExecutionContext, Json, OpenAdapter } from "@paraph/core";
import { Client } from "pg";
import { createOwnTestContext, parseTestInput } from "../testing.ts";
import { type PostgresAdapterOptions, postgres } from "./index.ts";

export { createOwnTestContext as worldOf, performOwnCall as perform } from "../testing.ts";

/** A real database for one test file, with the adapter open on it. */
export interface SqlFixture extends AsyncDisposable {
  readonly url: string;
  readonly adapter: OpenAdapter;
  readonly query: Capability;
  readonly execute: Capability;
  /** Runs SQL as the database's owner, without the adapter. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Opens the same database through an adapter with other options. */
  with(options: PostgresAdapterOptions, url?: string): Promise<SqlFixture>;
}

/** The table as docs/adapters/sql.md defines it. */
const markerTable =
  "create table paraph_applied (call_id text primary key, applied_at timestamptz not null default now(), result jsonb)";

/** The longest timeouts. A busy machine exceeds the default of 1 s for a lock although nothing is wrong. */
const longTimeouts: PostgresAdapterOptions = { previewTimeout: "1m", lockTimeout: "1m", timeout: "5m" };

/** Creates a database on the server, where the URL's login is a superuser. */
export async function createSqlFixture(
  server: string,
  options: PostgresAdapterOptions = {},
): Promise<SqlFixture> {
  const name = `sql_${randomBytes(6).toString("hex")}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const owner = new Client({ connectionString: url.href });
  await owner.connect();
  await owner.query(markerTable);
  const opened: OpenAdapter[] = [];
  const through = async (chosen: PostgresAdapterOptions, address: string): Promise<SqlFixture> => {
    const adapter = await openAdapterAs("db", postgres(address, { ...longTimeouts, ...chosen }));
    opened.push(adapter);
    const [query, execute] = (await adapter.capabilities()) as [Capability, Capability];
    return {
      url: url.href,
      adapter,
      query,
      execute,
      sql: async (text, values) => (await owner.query(text, values)).rows,
      with: (others, other = url.href) => through(others, other),
      async [Symbol.asyncDispose]() {
        await Promise.all(opened.map((one) => one.close?.()));
        await owner.end();
        await admin.query(`drop database ${name} with (force)`);
        await admin.end();
      },
    };
  };
  return through(options, url.href);
}

export function openAdapterAs(
  name: string,
  adapter: Adapter,
  secrets: Record<string, string> = {},
): Promise<OpenAdapter> {
  return adapter.open({
    name,
    folder: "/",
    signal: new AbortController().signal,
    announceChange: () => {},
    credential: async (secret) => secrets[secret] ?? Promise.reject(new Error("no such secret")),
  });
}

export async function previewInput(
  capability: Capability,
  raw: Json,
  context: Partial<ExecutionContext> = {},
) {
  return capability.preview!(parseTestInput(capability, raw), createOwnTestContext(context));
}
