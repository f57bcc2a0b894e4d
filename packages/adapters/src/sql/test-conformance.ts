import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { defineConformanceTest } from "../conformance/conformance-test.ts";
import { postgres } from "./index.ts";

/** Set the variable to a higher number to test more crash points. */
const crashes = Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 2);

interface DatabaseFixture {
  readonly url: string;
  /** The URL with the login that the adapter uses. This login has no administrator rights. */
  readonly login: string;
  readonly server: string;
  readonly database: string;
}

async function withClient<T>(url: string, body: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

const runSql = (text: string) => async (fixture: DatabaseFixture) => {
  await withClient(fixture.url, (client) => client.query(text));
};

export default defineConformanceTest<DatabaseFixture>({
  name: "db",
  async prepare() {
    // The URL of a server where the conformance test may create databases. The test file sets this variable.
    const server = process.env.PARAPH_CONFORMANCE_POSTGRES!;
    const database = `trial_${randomBytes(6).toString("hex")}`;
    await withClient(server, (client) => client.query(`create database ${database}`));
    const url = new URL(server);
    url.pathname = `/${database}`;
    // Autovacuum is off, because new statistics during a conformance test would change the plan, and therefore the
    // preview, of the same rows.
    await runSql(`create table paraph_applied (call_id text primary key, applied_at timestamptz default now(), result jsonb);
      create table users (id int primary key, name text not null, visits int not null)
        with (autovacuum_enabled = off)`)({
      url: url.href,
      login: "",
      server,
      database,
    });
    await runSql(`create role ${database} login password 'plain';
      grant all on paraph_applied, users to ${database}`)({ url: url.href, login: "", server, database });
    const login = new URL(url);
    [login.username, login.password] = [database, "plain"];
    return { url: url.href, login: login.href, server, database };
  },
  cleanup: ({ server, database }) =>
    withClient(server, async (client) => {
      await client.query(`drop database ${database} with (force)`);
      await client.query(`drop role ${database}`);
    }),
  adapter: ({ login }) =>
    postgres(login, {
      functions: ["pg_sleep"],
      // The backend of a killed process may hold its locks for seconds on a busy machine.
      lockTimeout: "30s",
      // The preview of the slow statement ends at this timeout.
      previewTimeout: "8s",
      watch: { users: { query: "select id, name from users", cursor: "id" } },
    }),
  reset: runSql(
    "truncate users, paraph_applied; insert into users select n, 'user ' || n, 0 from generate_series(1, 5) n",
  ),
  snapshot: ({ url }) =>
    withClient(url, async (client) =>
      JSON.stringify((await client.query("select * from users order by id")).rows, null, 1),
    ),
  triggerEvent: runSql("insert into users values (6, 'new', 0)"),
  cases: [
    {
      capability: "db.query",
      input: { sql: "select * from users where id = $1", parameters: [1] },
      slow: { input: { sql: "select pg_sleep(30)" } },
      large: [
        { sql: "select repeat('x', 1000) from generate_series(1, 20000)" },
        { sql: "select repeat('x', 5000000)" },
      ],
    },
    {
      capability: "db.execute",
      title: "an update",
      input: { sql: "update users set visits = visits + 1 where id <= 3" },
      changeBasis: runSql("update users set visits = 7 where id = 2"),
      slow: { input: { sql: "update users set name = 'x' || pg_sleep(30) where id = 1" }, deadlineMs: 1_000 },
      crashes,
    },
    {
      capability: "db.execute",
      title: "a delete",
      input: { sql: "delete from users where id > 3" },
      changeBasis: runSql("insert into users values (10, 'nobody approved this', 0)"),
      crashes: 1,
    },
  ],
});
