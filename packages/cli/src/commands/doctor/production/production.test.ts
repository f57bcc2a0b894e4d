import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@paraph/dev-servers";
import { createFileSigner, inspectDatabase, migrateDatabase, provision } from "@paraph/server";
import { Client } from "pg";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../../../../../test/support/servers/database.ts";
import {
  announceWorker,
  beginProcessLease,
  connectDatabase,
} from "../../../../../server/src/postgres/index.ts";
import type { Context } from "../../../lib/context.ts";
import { captureOutput } from "../../../testing/captured-output.ts";
import { cert, key as certificateKey } from "../../../testing/test-certificate.ts";
import { runProductionDoctor } from "./production.ts";
import type { ProductionCheck } from "./production-check.ts";
import { runProductionChecks } from "./production-checks.ts";
import { type ProductionOptions, readProductionFacts } from "./production-facts.ts";

// A good installation: a durable PostgreSQL with an archive, a live worker, and an API with TLS.
const home = mkdtempSync(join(tmpdir(), "paraph-production-"));
const folder = join(home, "srv");
const keyFile = join(home, "state/signing.pem");
mkdirSync(join(folder, "secrets/acme"), { recursive: true });
// Others can enter the folders, so that only the mode of a file protects it.
for (const path of [home, folder, join(folder, "secrets"), join(folder, "secrets/acme")])
  chmodSync(path, 0o755);
writeFileSync(join(folder, "secrets/acme/token"), "t", { mode: 0o640 });
mkdirSync(join(home, "bin"));
writeFileSync(join(home, "bin/timedatectl"), "#!/bin/sh\necho yes\n", { mode: 0o755 });

const postgres = await startPostgres({ folder: join(home, "pg"), settings: { archive_mode: "on" } });
const admin = new Client({ connectionString: postgres.url });
await admin.connect();
const run = async (...statements: string[]) => {
  for (const statement of statements) await admin.query(statement);
};
await run("create database paraph", "alter system set archive_command = 'true'", "select pg_reload_conf()");
const ownerUrl = postgres.url.replace(/\/postgres$/, "/paraph");
const url = Object.assign(new URL(ownerUrl), { username: "plain", password: "plain" }).href;
await migrateDatabase(ownerUrl);
await provision(ownerUrl, (p) => p.createLogin("plain", "plain"));
await run("select pg_switch_wal()");

// The server of the other tests is fast instead of durable.
const fastDatabase = await createTestDatabase();

const database = await connectDatabase(url, { connections: 2 });
const lease = await beginProcessLease(url);
await announceWorker(database.app, lease, "worker");
const signer = createFileSigner(keyFile);
const answers: Record<string, object> = {
  "/readyz": { parts: { postgres: true } },
  "/v1/keys": { keys: [signer.publicKey] },
};
const api = createServer((request, response) => response.end(JSON.stringify(answers[request.url!])));
const proxy = createTlsServer({ cert, key: certificateKey });
for (const server of [api, proxy]) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
const portOf = (server: typeof api) => (server.address() as AddressInfo).port;
const environment = {
  PATH: join(home, "bin"),
  DATABASE_URL: url,
  PARAPH_SIGNING_KEY: keyFile,
  PARAPH_URL: `http://127.0.0.1:${portOf(api)}`,
};
const publicUrl = `https://127.0.0.1:${portOf(proxy)}`;
configure();

afterAll(async () => {
  await lease.end();
  await database.close();
  await admin.end();
  api.close();
  proxy.close();
  await postgres.stop();
  await rm(home, { recursive: true, maxRetries: 10 });
});

function configure(more = "", address = publicUrl): void {
  writeFileSync(
    join(folder, "paraph.config.mjs"),
    `export default { identity: { url: ${JSON.stringify(address)} }, ${more} };`,
  );
}

/** Runs all checks with a changed environment. */
async function check(
  change: Record<string, string | undefined> = {},
  options: ProductionOptions = {},
): Promise<ProductionCheck[]> {
  const context = { folder, environment: { ...environment, ...change }, signal: AbortSignal.timeout(60_000) };
  return runProductionChecks(await readProductionFacts(context as unknown as Context, options));
}

/** The problems as `subject/name state`. The user of the tests may be root. */
function listProblems(
  checks: readonly ProductionCheck[],
  states: readonly string[] = ["warn", "fail"],
): string[] {
  return checks
    .filter(({ subject, name, state }) => states.includes(state) && `${subject}/${name}` !== "Host/user")
    .map(({ subject, name, state }) => `${subject}/${name} ${state}`);
}

it("a good installation has no problem, and each skipped check gives its reason", async () => {
  // PostgreSQL archives its first file after a moment.
  await expect.poll(async () => listProblems(await check())).toEqual([]);
  const checks = await check();
  expect(listProblems(checks, ["skipped"])).toEqual([
    "Replication/synchronous skipped",
    "Replication/lag skipped",
    "Disk/database skipped",
  ]);
  expect(checks.filter(({ message, why }) => !message || !why)).toEqual([]);
});

it("with a login that sees more, the disk of the database is checked too", async () => {
  const statistics = { database: ownerUrl };
  expect(listProblems(await check({}, statistics), ["skipped"])).not.toContain("Disk/database skipped");
});

describe("a setting of PostgreSQL turns its check:", () => {
  it.each<[problems: string[], broken: string[], restored: string[]]>([
    [
      ["Durability/synchronous_commit warn"],
      ["alter role plain in database paraph set synchronous_commit = off"],
      ["alter role plain in database paraph reset synchronous_commit"],
    ],
    [["Tenants/rights fail"], ["alter role plain bypassrls"], ["alter role plain nobypassrls"]],
    [["Tenants/rights fail"], ["alter role plain createrole"], ["alter role plain nocreaterole"]],
    [["Tenants/rights fail"], ["alter role plain replication"], ["alter role plain noreplication"]],
    [["Tenants/rights fail"], ["alter role paraph_app bypassrls"], ["alter role paraph_app nobypassrls"]],
    [["Tenants/roles fail"], ["revoke paraph_sweeper from plain"], ["grant paraph_sweeper to plain"]],
    [
      ["Connections/limit warn"],
      ["alter role plain connection limit 20"],
      ["alter role plain connection limit -1"],
    ],
    [
      ["Connections/idle_session_timeout warn"],
      ["alter role plain set idle_session_timeout = '10min'"],
      ["alter role plain reset idle_session_timeout"],
    ],
    [
      ["Connections/transaction_timeout warn"],
      ["alter role plain set transaction_timeout = '30s'"],
      ["alter role plain reset transaction_timeout"],
    ],
    [
      ["Replication/slots warn"],
      ["select pg_create_physical_replication_slot('unused', true)"],
      ["select pg_drop_replication_slot('unused')"],
    ],
    [
      ["Replication/synchronous fail"],
      ["alter system set synchronous_standby_names = 'away'", "select pg_reload_conf()"],
      ["alter system reset synchronous_standby_names", "select pg_reload_conf()"],
    ],
    [
      ["Vacuum/autovacuum fail"],
      ["alter system set autovacuum = off", "select pg_reload_conf()"],
      ["alter system reset autovacuum", "select pg_reload_conf()"],
    ],
  ])("%j after %j", async (problems, broken, restored) => {
    await run(...broken);
    onTestFinished(() => run(...restored));
    // A reload takes effect in other sessions after a moment.
    await expect.poll(async () => listProblems(await check())).toEqual(problems);
  });

  it.each<[problems: string[], broken: string, restored: string]>([
    [
      ["Tenants/row-level security fail"],
      "alter table paraph.call no force row level security",
      "alter table paraph.call force row level security",
    ],
    [
      ["Tenants/rights fail"],
      "grant create on schema paraph to plain",
      "revoke create on schema paraph from plain",
    ],
    [["Tenants/rights fail"], "grant postgres to plain", "revoke postgres from plain"],
    [
      ["Vacuum/autovacuum warn"],
      "alter table paraph.call set (autovacuum_enabled = false)",
      "alter table paraph.call reset (autovacuum_enabled)",
    ],
    [
      ["Versions/indexes warn"],
      "update pg_index set indisvalid = false where indexrelid = 'paraph.call_open'::regclass",
      "update pg_index set indisvalid = true where indexrelid = 'paraph.call_open'::regclass",
    ],
  ])("%j after %j in the database", async (problems, broken, restored) => {
    const owner = new Client({ connectionString: ownerUrl });
    await owner.connect();
    onTestFinished(async () => {
      await owner.query(restored);
      await owner.end();
    });
    await owner.query(broken);
    const checks = await check();
    expect(listProblems(checks)).toEqual(problems);
    // The session of the owner is still open, and the plain login may not see it.
    expect(listProblems(checks, ["skipped"])).toContain("Vacuum/long transactions skipped");
  });

  it.each([
    [0, 0, ["Versions/schema fail"]],
    [9_999, 1, ["Versions/schema warn"]],
    [9_999, 9_999, ["Versions/schema fail"]],
  ])("the schema has generation %i and supports %i", async (generation, serves, problems) => {
    const owner = new Client({ connectionString: ownerUrl });
    await owner.connect();
    const body =
      "paraph.schema_generation() returns table (generation int, serves int) language sql immutable as";
    const { rows } = await owner.query("select * from paraph.schema_generation()");
    onTestFinished(async () => {
      await owner.query(
        `create or replace function ${body} 'select ${rows[0].generation}, ${rows[0].serves}'`,
      );
      await owner.end();
    });
    await owner.query(`create or replace function ${body} 'select ${generation}, ${serves}'`);
    expect(listProblems(await check())).toEqual(problems);
  });

  it("a server without fsync and without an archive", async () => {
    expect(listProblems(await check({ DATABASE_URL: fastDatabase.url }))).toEqual([
      "Durability/fsync fail",
      "Durability/full_page_writes warn",
      "Durability/synchronous_commit warn",
      "Backup/archive warn",
      "Calls/workers fail",
    ]);
  });

  it("a standby that commits do not wait for, and a receiver that is a backup", async () => {
    const connect = async (name: string) => {
      const client = new Client({
        connectionString: postgres.url,
        application_name: name,
        replication: "true",
      } as never);
      await client.connect();
      onTestFinished(() => client.end());
    };
    await connect("standby");
    expect(listProblems(await check())).toEqual(["Replication/synchronous warn"]);
    await connect("pg_receivewal");
    const found = await check();
    expect(found.find(({ name }) => name === "archive")?.message).toBe("WAL streams to pg_receivewal");
  });

  it("an archive that fails", async () => {
    await run("alter system set archive_command = 'false'", "select pg_reload_conf()");
    await run("create table written ()", "drop table written", "select pg_switch_wal()");
    await expect.poll(async () => listProblems(await check())).toEqual(["Backup/archive fail"]);
    await run("alter system set archive_command = 'true'", "select pg_reload_conf()");
    await expect.poll(async () => listProblems(await check())).toEqual([]);
  });

  it("TLS of the connection, with and without a verified certificate", async () => {
    const data = join(home, "pg/postgres/data");
    const { uid, gid } = statSync(data);
    for (const [name, text] of [
      ["tls.crt", cert],
      ["tls.key", certificateKey],
    ] as const) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (process.getuid?.() === 0) chownSync(join(data, name), uid, gid);
    }
    writeFileSync(join(home, "ca.pem"), cert);
    await run("alter system set ssl_cert_file = 'tls.crt'", "alter system set ssl_key_file = 'tls.key'");
    await run("alter system set ssl = on", "select pg_reload_conf()");
    const inspect = async (parameters: string) => (await inspectDatabase(`${url}?${parameters}`)).encryption;
    const protocol = "TLSv1.3";
    await expect
      .poll(() => inspect("sslmode=no-verify").catch(String))
      .toEqual({ value: { path: "loopback", protocol, verified: false } });
    expect(await inspect(`sslmode=verify-full&sslrootcert=${join(home, "ca.pem")}`)).toEqual({
      value: { path: "loopback", protocol, verified: true },
    });
  });
});

describe("a fault on this host turns its check:", () => {
  it("files that others can read", async () => {
    chmodSync(keyFile, 0o644);
    chmodSync(join(folder, "secrets/acme/token"), 0o644);
    onTestFinished(() => {
      chmodSync(keyFile, 0o600);
      chmodSync(join(folder, "secrets/acme/token"), 0o640);
    });
    expect(listProblems(await check())).toEqual(["Host/secret files fail", "Signing key/file fail"]);
    // A folder that others cannot enter protects the files in it.
    chmodSync(folder, 0o750);
    onTestFinished(() => chmodSync(folder, 0o755));
    expect(listProblems(await check())).toEqual(["Signing key/file fail"]);
  });

  it("a signing key that is old, missing, or not that of the server", async () => {
    const { mtime } = statSync(keyFile);
    utimesSync(keyFile, mtime, new Date(mtime.getTime() - 400 * 86_400_000));
    expect(listProblems(await check())).toEqual(["Signing key/age warn"]);
    utimesSync(keyFile, mtime, mtime);
    const missing = await check({ PARAPH_SIGNING_KEY: join(home, "none.pem") });
    expect(listProblems(missing)).toEqual(["Signing key/file fail"]);
    const other = join(home, "other/signing.pem");
    createFileSigner(other);
    expect(listProblems(await check({ PARAPH_SIGNING_KEY: other }))).toEqual(["Signing key/same key fail"]);
  });

  it("the login of the owner in the environment, and a clock that is not synchronised", async () => {
    writeFileSync(join(home, "bin/timedatectl"), "#!/bin/sh\necho no\n");
    onTestFinished(() => writeFileSync(join(home, "bin/timedatectl"), "#!/bin/sh\necho yes\n"));
    expect(listProblems(await check({ DATABASE_OWNER_URL: ownerUrl }))).toEqual([
      "Host/owner's login warn",
      "Clock/NTP warn",
    ]);
    expect(listProblems(await check({ PATH: "/nowhere" }), ["skipped"])).toContain("Clock/NTP skipped");
  });

  it("an address without TLS, and a key that does not belong to the certificate", async () => {
    onTestFinished(() => configure());
    configure("", "http://paraph.example.com");
    expect(listProblems(await check())).toEqual(["TLS/public address fail"]);
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(join(folder, "cert.pem"), cert);
    writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }), {
      mode: 0o600,
    });
    configure('http: { tls: { certificate: "cert.pem", key: "key.pem" } }');
    expect(listProblems(await check())).toEqual(["TLS/own certificate fail"]);
    writeFileSync(join(folder, "key.pem"), certificateKey);
    expect(listProblems(await check())).toEqual([]);
    configure('http: { tls: { certificate: "cert.pem", key: "lost.pem" } }');
    expect(listProblems(await check())).toEqual(["TLS/own certificate fail"]);
  });

  it("an invalid configuration, and a server that does not answer", async () => {
    onTestFinished(() => configure());
    configure("adapter: {}");
    const checks = await check({ PARAPH_URL: "http://127.0.0.1:1" });
    expect(listProblems(checks)).toEqual(["Host/configuration fail", "Calls/API fail"]);
    expect(listProblems(checks, ["skipped"])).toContain("TLS/public address skipped");
    expect(listProblems(checks, ["skipped"])).toContain("Signing key/same key skipped");
  });

  it("without PostgreSQL, no check of the database passes", async () => {
    const checks = await check({ DATABASE_URL: url.replace(/:\d+\//, ":1/") });
    expect(listProblems(checks)).toEqual(["Versions/database fail"]);
    expect(listProblems(checks, ["ok"])).toEqual(
      [
        ...["Host/configuration", "Host/owner's login", "Host/secret files", "Versions/Node"],
        ...["Signing key/file", "Signing key/same key", "Signing key/age"],
        ...["TLS/public address", "TLS/certificate", "TLS/own certificate"],
        ...["Disk/this host", "Clock/NTP", "Calls/API"],
      ].map((name) => `${name} ok`),
    );
    expect(JSON.stringify(checks)).not.toContain("plain:plain");
  });
});

it("prints what was measured, why it matters and what to do, and fails", async () => {
  const { output, written } = captureOutput();
  const context = { output, environment: {}, folder: home, signal: AbortSignal.timeout(60_000), json: false };
  expect(await runProductionDoctor(context as unknown as Context, {})).toBe(1);
  expect(written.stdout).toMatch(
    /^Versions +✘ database: DATABASE_URL is not set\n +Paraph does not start without its database\.\n +→ set DATABASE_URL/m,
  );
  expect(written.stdout).toMatch(/– roles, rights, .*skipped: no connection to PostgreSQL\n/);
  expect(written.stdout).toMatch(/\n\d+ checks: \d+ ok, \d+ warnings?, \d+ failed, \d+ skipped\n$/);
});
