import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgres } from "@paraph/adapters/sql";
import type { Capability, ExecutionContext, Json } from "@paraph/core";
import { startPostgres } from "@paraph/dev-servers";
import { Client } from "pg";
import type { InjectionStage, InjectionTarget } from "./target.ts";

/** A separate PostgreSQL server, the adapter that uses it, and a connection as the database owner. */
interface TestDatabase {
  readonly query: Capability;
  readonly execute: Capability;
  readonly owner: Client;
  /**
   * Returns everything that must not change: tables, columns, roles, settings, functions, rows and lingering sessions.
   */
  readFingerprint(): Promise<string>;
  close(): Promise<void>;
}

/** Puts one value through the adapter and checks the result. Errors of the adapter are ignored. */
type PutValue = (value: string, place: TestDatabase, count: Tally) => Promise<void>;

interface Tally {
  reached: number;
  readonly escapes: string[];
}

export const sqlTargets: readonly InjectionTarget[] = [
  { name: "sql: a parameter", share: 4, prepare: () => createStage(putAsParameter) },
  { name: "sql: glued into a statement", share: 3, prepare: () => createStage(putAsStatement) },
  { name: "sql: the name of a table and its column", share: 1, prepare: () => createStage(putAsName) },
];

/** Checks that the stored text equals the parameter exactly. */
const putAsParameter: PutValue = async (value, { execute, query, owner }, count) => {
  const output = await performCall(execute, {
    sql: "insert into inbox (text) values ($1)",
    parameters: [value],
  });
  const id = Number((output as { keys: { id: string }[] } | undefined)?.keys[0]?.id);
  if (output === undefined) return;
  count.reached += 1;
  const { rows } = await owner.query("select text from inbox where id = $1", [id]);
  if (rows[0]?.text !== value.toWellFormed()) count.escapes.push("a parameter was stored as something else");
  await tryOrUndefined(
    query.apply({ sql: "select id from inbox where text = $1", parameters: [value] }, createContext()),
  );
};

/**
 * Concatenates the value into statements, as a careless agent would. A query must only read, and a preview must change
 * nothing.
 */
const putAsStatement: PutValue = async (value, { query, execute }, count) => {
  const glued = [value, `select * from victims where name = '${value}'`, `select ${value} from victims`];
  const changes = [`update victims set name = '${value}'`, `delete from victims where name = ${value}`];
  for (const sql of glued)
    if (await tryOrUndefined(query.apply({ sql, parameters: [] }, createContext()))) count.reached += 1;
  for (const sql of changes)
    if (await tryOrUndefined(execute.preview!({ sql, parameters: [] }, createContext()))) count.reached += 1;
};

/**
 * Uses the value as a table and column name, because databases can hold hostile names. Checks that a change and its
 * undo touch nothing else.
 */
const putAsName: PutValue = async (value, { execute, owner }, count) => {
  const name =
    Buffer.from(value.replaceAll("\0", "").toWellFormed())
      .subarray(0, 50)
      .toString()
      .replaceAll("\ufffd", "") || "x";
  const [table, column] = [owner.escapeIdentifier(`t${name}`), owner.escapeIdentifier(name)];
  await owner.query(
    `create table ${table} (id int primary key, ${column} text); insert into ${table} values (1, 'a')`,
  );
  try {
    const sql = `update ${table} as "${name.replaceAll('"', '""')}" set ${column} = 'b'`;
    const output = (await performCall(execute, { sql })) as { undo?: Json } | undefined;
    const look = async () => (await owner.query(`select ${column} as text from ${table}`)).rows[0].text;
    if (output === undefined || (await look()) !== "b") return;
    if (!output.undo || !(await performCall(execute, output.undo)) || (await look()) !== "a")
      count.escapes.push("what was done to a table with a hostile name could not be undone");
    else count.reached += 1;
  } finally {
    await owner.query(`drop table ${table}`);
  }
};

async function createStage(put: PutValue): Promise<InjectionStage> {
  const place = await openTestDatabase();
  const count: Tally = { reached: 0, escapes: [] };
  const before = await place.readFingerprint();
  let turn = Promise.resolve();
  return {
    // Values run one after another, because the names of their tables may be equal.
    put: (value) => {
      turn = turn.then(() => put(value, place, count));
      return turn;
    },
    async escapes() {
      if ((await place.readFingerprint()) !== before) count.escapes.push("the database is not what it was");
      return count.escapes.splice(0);
    },
    reached: () => count.reached,
    close: () => place.close(),
  };
}

async function openTestDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "paraph-injection-sql-"));
  const server = await startPostgres({ folder, durable: false });
  const owner = new Client({ connectionString: server.url });
  await owner.connect();
  await owner.query(`create table paraph_applied (call_id text primary key, applied_at timestamptz default now(), result jsonb);
    create table inbox (id int generated always as identity primary key, text text);
    create table victims (id int primary key, name text);
    insert into victims select n, 'victim ' || n from generate_series(1, 100) n`);
  // No statement of this test waits for a lock, so a timeout means that an injected sleep ran.
  const adapter = await postgres(server.url, { connections: 8, previewTimeout: "5s" }).open({
    name: "db",
    folder,
    signal: new AbortController().signal,
    announceChange: () => {},
    credential: () => Promise.reject(new Error("no credentials here")),
  });
  const [query, execute] = (await adapter.capabilities()) as [Capability, Capability];
  return {
    query,
    execute,
    owner,
    readFingerprint: async () => JSON.stringify((await owner.query(fingerprintQuery)).rows),
    async close() {
      await adapter.close?.();
      await owner.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const fingerprintQuery = `select
  (select md5(string_agg(v::text, ';' order by id)) from victims v) as victims,
  (select md5(string_agg(attrelid::regclass || '.' || attname, ';' order by attrelid, attnum)) from pg_attribute) as columns,
  (select md5(string_agg(r::text, ';' order by oid)) from pg_roles r) as roles,
  (select md5(string_agg(setconfig::text, ';')) from pg_db_role_setting) as settings,
  (select count(*)::int from pg_proc) as functions,
  (select count(*)::int from pg_stat_activity where wait_event in ('PgSleep', 'Advisory')) as lingering`;

let calls = 0;

function createContext(context: Partial<ExecutionContext> = {}): ExecutionContext {
  const key = `call-${++calls}`;
  return {
    tenant: "acme",
    principal: { tenant: "acme", id: "agent", kind: "agent" },
    approvers: [],
    call: key,
    key,
    attempt: 1,
    basis: undefined,
    signal: new AbortController().signal,
    credential: () => Promise.reject(new Error("no credentials here")),
    progress: () => {},
    ...context,
  };
}

async function performCall(capability: Capability, raw: Json): Promise<Json | undefined> {
  const input = capability.parseInput(raw);
  if (input.kind === "invalid") return undefined;
  const preview = await tryOrUndefined(capability.preview!(input.value, createContext()));
  return (
    preview &&
    tryOrUndefined(capability.apply(input.value, createContext({ basis: preview.basis })) as Promise<Json>)
  );
}

async function tryOrUndefined<T>(body: Promise<T>): Promise<T | undefined> {
  return body.catch(() => undefined);
}
