import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { findFreePort, type LocalPostgres, type LocalPostgresOptions, startPostgres } from "./index.ts";
import { retryWithFreshPorts } from "./ports.ts";
import { isRunning } from "./process-check.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-postgres-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

async function startTestPostgres(options: Partial<LocalPostgresOptions> = {}): Promise<LocalPostgres> {
  const postgres = await startPostgres({ folder, durable: false, ...options });
  onTestFinished(() => postgres.stop());
  return postgres;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const readSetting = async (url: string, name: string) =>
  Object.values((await query(url, `show ${name}`))[0] as object)[0];

it("starts PostgreSQL 18 with durable settings, UTF-8 and passwords", async () => {
  const { url, port, pid } = await startTestPostgres({ durable: true });
  expect(await readSetting(url, "server_version")).toMatch(/^18\./);
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    expect([name, await readSetting(url, name)]).toEqual([name, "on"]);
  }
  expect(await readSetting(url, "max_connections")).toBe("200");
  expect(await readSetting(url, "listen_addresses")).toBe("127.0.0.1");
  expect(await readSetting(url, "unix_socket_directories")).toBe("");
  expect(
    await query(
      url,
      "select datlocprovider, datlocale, pg_encoding_to_char(encoding) as encoding from pg_database where datname = 'postgres'",
    ),
  ).toEqual([{ datlocprovider: "b", datlocale: "C.UTF-8", encoding: "UTF8" }]);
  expect(new URL(url).port).toBe(String(port));
  expect(isRunning(pid)).toBe(true);
  expect((await stat(join(folder, "postgres/password"))).mode & 0o777).toBe(0o600);
  await expect(query(url.replace(/:[^:@]+@/, ":wrong@"), "select 1")).rejects.toThrow("password");
});

it("keeps data and password across a restart on another port", async () => {
  // A server that takes too long to stop is killed, and would then lose commits that are not durable.
  const first = await startTestPostgres({ durable: true });
  await query(first.url, "create table kept as select 7 as seven");
  await first.stop();
  expect(isRunning(first.pid)).toBe(false);
  const second = await retryWithFreshPorts(async () => startTestPostgres({ port: await findFreePort() }));
  expect(await query(second.url, "select seven from kept")).toEqual([{ seven: 7 }]);
  expect(new URL(second.url).password).toBe(new URL(first.url).password);
});

it("detects a crash and starts again once a session that is still busy has ended", async () => {
  const first = await startTestPostgres({ durable: true });
  await query(first.url, "create table kept as select 7 as seven");
  const session = new Client({ connectionString: first.url });
  session.on("error", () => {});
  await session.connect();
  const { rows } = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { pid } = rows[0]!;
  // PostgreSQL writes the rows of a series to disk before it counts them, so each series is short.
  const series = Array.from({ length: 5 }, (_, index) => `generate_series(1, 1000) as s${index}`);
  const busy = session.query(`select count(*) from ${series.join(", ")}`).catch(() => undefined);
  const active = `select 1 from pg_stat_activity where pid = ${pid} and state = 'active'`;
  await eventually(async () => expect(await query(first.url, active)).toHaveLength(1));
  process.kill(first.pid, "SIGKILL");
  expect(await first.exited).toEqual({ code: null, signal: "SIGKILL" });

  const starting = startTestPostgres({ durable: true });
  await eventually(async () =>
    expect(await readFile(join(folder, "postgres.log"), "utf8")).toContain(
      "pre-existing shared memory block",
    ),
  );
  process.kill(pid, "SIGTERM");
  expect(await query((await starting).url, "select seven from kept")).toEqual([{ seven: 7 }]);
  await busy;
});

it("starts even if the pid in postmaster.pid belongs to an unrelated process", async () => {
  const first = await startTestPostgres();
  await first.kill();
  const file = join(folder, "postgres/data/postmaster.pid");
  const stranger = (await readFile(file, "utf8")).replace(/^\d+/, String(process.pid));
  await writeFile(file, stranger);
  await startTestPostgres();
});

it("refuses a second server for the folder and names the first", async () => {
  const first = await startTestPostgres();
  const refusal = await startPostgres({ folder }).catch((error) => error);
  expect(refusal).toMatchObject({ name: "ServerError", code: "already-running" });
  expect(refusal.message).toContain(folder);
  expect(refusal.message).toContain(String(first.pid));
  expect(await query(first.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

it("lets exactly one of two concurrent first starts succeed", async () => {
  const outcomes = await Promise.allSettled([startTestPostgres(), startTestPostgres()]);
  const started = outcomes.filter((outcome) => outcome.status === "fulfilled");
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(started).toHaveLength(1);
  expect(refused[0]?.reason).toMatchObject({ code: "already-running" });
  expect(await query(started[0]!.value.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

it("refuses a port in use", async () => {
  const { port } = await startTestPostgres();
  const other = await mkdtemp(join(tmpdir(), "paraph-postgres-"));
  onTestFinished(() => rm(other, { recursive: true }));
  await expect(startPostgres({ folder: other, port })).rejects.toMatchObject({ code: "port-in-use" });
});

it("quotes the log when the server does not come up", async () => {
  await (await startTestPostgres()).stop();
  await appendFile(join(folder, "postgres/data/postgresql.conf"), "\nno_such_setting = 1\n");
  const failure = await startTestPostgres().catch((error) => error);
  expect(failure).toMatchObject({ code: "start-failed" });
  expect(failure.message).toContain("no_such_setting");
});

describe.runIf(process.getuid?.() === 0)("as root", () => {
  it("runs as another user and makes the folder traversable but not readable", async () => {
    const { pid } = await startTestPostgres();
    expect((await stat(`/proc/${pid}`)).uid).not.toBe(0);
    expect((await stat(folder)).mode & 0o777).toBe(0o711);
  });

  it("says what to do when that user cannot enter a parent folder", async () => {
    const locked = join(folder, "locked");
    await mkdir(join(locked, "project"), { recursive: true });
    await chmod(folder, 0o755);
    await chmod(locked, 0o700);
    const refusal = await startPostgres({ folder: join(locked, "project") }).catch((error) => error);
    expect(refusal).toMatchObject({ code: "not-traversable" });
    expect(refusal.message).toContain(`not permitted to enter \`${locked}\``);
    expect(refusal.message).toContain("DATABASE_URL");
  });
});
