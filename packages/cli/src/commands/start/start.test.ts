import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { findFreePort } from "@paraph/dev-servers";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { PlainBrowser } from "../../../../../test/support/web/plain-browser.ts";
import { hasSandbox } from "../../../../adapters/src/process/testing.ts";
import { runCli, startCli } from "../../testing/run-cli.ts";
import { cert, key as certificateKey } from "../../testing/test-certificate.ts";

let folder: string;
let admin: Client;
const database = `start_${randomBytes(6).toString("hex")}`;
const ownerUrl = inject("postgres").replace(/\/postgres$/, `/${database}`);
const appUrl = Object.assign(new URL(ownerUrl), { username: database, password: "p%40ss" }).href;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-start-"));
  admin = new Client({ connectionString: inject("postgres") });
  await admin.connect();
  await admin.query(`create database ${database}`);
  await writeConfiguration("");
});

afterAll(async () => {
  await admin.query(`drop database ${database} with (force)`);
  await admin.query(`drop role if exists ${database}`);
  await admin.end();
  await rm(folder, { recursive: true, force: true });
});

function writeConfiguration(more: string): Promise<void> {
  return writeFile(
    join(folder, "paraph.config.ts"),
    `import { defineConfig, files } from "paraph";
export default defineConfig({ adapters: { files: files({ root: "." }) }, ${more} });
`,
  );
}

const key = () => join(folder, "state/signing.pem");
const serverEnvironment = () => ({ DATABASE_URL: appUrl, PARAPH_SIGNING_KEY: key() });
const runStart = (args: readonly string[], environment: Record<string, string> = serverEnvironment()) =>
  runCli(["start", ...args], { folder, environment });
const runAsOwner = (...args: string[]) =>
  runCli(args, { folder, environment: { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: appUrl } });

async function startProcess(args: readonly string[], launcher: readonly string[] = []) {
  const child = startCli(["start", "--json", ...args], {
    folder,
    environment: serverEnvironment(),
    launcher,
  });
  onTestFinished(() => void child.process.kill("SIGKILL"));
  const ready = JSON.parse(await child.firstLine) as { url?: string; metrics?: string; pid: number };
  const stop = () => {
    process.kill(ready.pid, "SIGTERM");
    return child.ended;
  };
  return { ...ready, stop };
}

describe("`paraph start` says what is missing, and how to provide it:", () => {
  it.each([
    ["a plain user", [], {}, "runs-as-root", "--allow-root"],
    ["a database", ["--allow-root"], { PARAPH_SIGNING_KEY: "k" }, "no-database", "DATABASE_URL"],
    ["a signing key", ["--allow-root"], { DATABASE_URL: appUrl }, "no-signing-key", "PARAPH_SIGNING_KEY"],
    [
      "the file of the signing key",
      ["--allow-root"],
      { DATABASE_URL: appUrl, PARAPH_SIGNING_KEY: "missing.pem" },
      ...["no-signing-key", "--create-signing-key"],
    ],
    [
      "a configuration",
      ["--allow-root", "--folder", "nowhere"],
      { DATABASE_URL: appUrl, PARAPH_SIGNING_KEY: "k" },
      ...["no-configuration", "--folder"],
    ],
    [
      "all variables of Restate",
      ["--allow-root"],
      { DATABASE_URL: appUrl, PARAPH_SIGNING_KEY: "k", RESTATE_ADMIN_URL: "http://127.0.0.1:1" },
      ...["config-invalid", "RESTATE_PUBLIC_KEY"],
    ],
  ] as const)("%s", async (_, args, environment, code, advice) => {
    const { code: exit, stdout } = await runStart([...args, "--json"], environment);
    expect([exit, JSON.parse(stdout)]).toEqual([
      1,
      { error: { code, message: expect.stringContaining(advice) } },
    ]);
  });

  it("a migrated database", async () => {
    await admin.query(`create role ${database} login password 'p@ss'`);
    const { code, stderr } = await runStart(["--allow-root", "--create-signing-key"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/`paraph\s+migrate`/)]);
  });
});

it("`paraph migrate` lists its steps, runs them once, and creates the login of DATABASE_URL", async () => {
  const planned = await runAsOwner("migrate", "--dry-run", "--json");
  const { steps } = JSON.parse(planned.stdout) as { steps: { kind: string; name: string }[] };
  expect(steps[0]).toEqual({ kind: "migration", name: "001_trunk.sql" });
  expect(steps.at(-1)?.kind).toBe("index");
  const done = await runAsOwner("migrate");
  expect(done).toMatchObject({ code: 0, stdout: "" });
  expect(done.stderr).toContain(`The database is migrated, in ${steps.length} steps.`);
  expect(done.stderr).toContain(`The login \`${database}\` can run \`paraph start\`.`);
  expect((await runAsOwner("migrate")).stderr).toContain("The database is up to date.");
});

it.each([
  ["a wrong password", { password: "wrong" }, "database-unavailable", "the password is wrong"],
  ["a database that does not exist", { pathname: "/nowhere" }, "database-unavailable", "does not exist"],
  ["a closed port", { port: "1" }, "database-unavailable", "no server answers"],
])("`paraph migrate` explains %s, without the login of the URL", async (_, change, code, reason) => {
  const url = Object.assign(new URL(ownerUrl), change).href;
  const { code: exit, stdout } = await runCli(["migrate", "--json", "--database", url], { folder });
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
  expect([exit, error]).toEqual([1, { code, message: expect.stringContaining(reason) }]);
  expect(error.message).not.toContain("@");
});

describe("a new deployment", () => {
  let ana: { key: string; link: string };

  it("`paraph tenants add` creates the first administrator once, with a key and a login link", async () => {
    // A configuration is code, so the command must not run it with the owner's login in its environment.
    await writeFile(join(folder, "paraph.config.mjs"), 'throw new Error("the configuration ran");');
    onTestFinished(() => rm(join(folder, "paraph.config.mjs")));
    await rm(join(folder, "paraph.config.ts"));
    onTestFinished(() => writeConfiguration(""));
    const added = await runAsOwner("tenants", "add", "acme", "--admin", "ana", "--json");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    ana = JSON.parse(added.stdout);
    expect(ana).toMatchObject({ tenant: "acme", admin: "ana", key: expect.stringMatching(/^paraph_acme_/) });
    expect(ana.link).toMatch(/^\/login\/local\?token=/);
    expect(await runAsOwner("tenants", "add", "acme", "--admin", "eve")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("exists already"),
    });
    expect(await runAsOwner("tenants", "add", "Acme Inc", "--admin", "eve")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("small letters and digits"),
    });
  });

  it("`paraph recover` needs the login of the database's owner, and prints a link with the address of `--url`", async () => {
    const recover = ["recover", "ana", "--tenant", "acme", "--reason", "test", "--json"];
    const denied = await runCli([...recover, "--database", appUrl], { folder });
    const { host, pathname } = new URL(appUrl);
    expect([denied.code, JSON.parse(denied.stdout)]).toEqual([
      1,
      {
        error: {
          code: "database-denied",
          message: `PostgreSQL at \`${host}${pathname}\` cannot be used: its login may not do this. Pass the login of the database's owner.`,
        },
      },
    ]);
    const link = await runAsOwner(...recover.with(-1, "--login-only"), "--url", "https://paraph.example.com");
    expect(link.stdout).toMatch(/^https:\/\/paraph\.example\.com\/login\/local\?token=\S+\n$/);
    const missing = await runCli(recover, { folder, environment: { DATABASE_OWNER_URL: "" } });
    expect([missing.code, JSON.parse(missing.stdout)]).toEqual([
      1,
      { error: { code: "no-database", message: expect.stringMatching(/DATABASE_OWNER_URL.*`paraph dev`/) } },
    ]);
  });

  it("creates its signing key only if asked, performs a call and stops on SIGTERM", async () => {
    const port = String(await findFreePort());
    const { url, stop } = await startProcess(["--allow-root", "--port", port, "--create-signing-key"]);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await readFile(key(), "utf8")).startsWith("-----BEGIN PRIVATE KEY-----")).toBe(true);
    const browser = new PlainBrowser();
    const page = await browser.submit(await browser.open(new URL(ana.link, url).href));
    expect(page.text).toContain("<strong>ana</strong>");
    const run = (...args: string[]) =>
      runCli(args, {
        folder,
        environment: { PARAPH_URL: url!, PARAPH_KEY: ana.key },
      });
    expect(await run("call", "files.write", "path=hello.txt", "content=hi")).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, "hello.txt"), "utf8")).toBe("hi");
    const { code, stderr } = await stop();
    expect(code).toBe(0);
    const codes = stderr
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { code: string }).code);
    expect([codes[0], codes.includes("started"), codes.slice(-2)]).toEqual([
      "starting",
      true,
      ["stopping", "stopped"],
    ]);
  });

  it("separates an API process from a worker, whose health is on the metrics port", async () => {
    await writeConfiguration("metrics: { port: 0 }");
    const port = String(await findFreePort());
    const api = await startProcess(["--allow-root", "--role", "api", "--port", port]);
    const worker = await startProcess(["--allow-root", "--role", "worker"]);
    expect(worker.url).toBeUndefined();
    const readiness = async (address: string) => (await fetch(new URL("/readyz", address))).json();
    expect(await readiness(worker.metrics!)).toEqual({
      status: "ready",
      parts: { postgres: true, signer: true },
    });
    expect(await readiness(api.url!)).toEqual({ status: "ready", parts: { postgres: true, signer: true } });
    expect((await Promise.all([api.stop(), worker.stop()])).map(({ code }) => code)).toEqual([0, 0]);
  });

  it.runIf(hasSandbox)("runs as a plain user on a read-only file system", async () => {
    await writeConfiguration("");
    const port = String(await findFreePort());
    const readOnly = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
    const asPlainUser = ["--unshare-user", "--uid", "1000", "--gid", "1000", "--die-with-parent"];
    const { url, stop } = await startProcess(["--port", port], [...readOnly, ...asPlainUser]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await stop()).toMatchObject({ code: 0 });
  });

  it("serves HTTPS with its own certificate, and names a file that it cannot read", async () => {
    await writeFile(join(folder, "cert.pem"), cert);
    await writeFile(join(folder, "key.pem"), certificateKey);
    const port = await findFreePort();
    await writeConfiguration(`http: { port: ${port}, tls: { certificate: "cert.pem", key: "key.pem" } }`);
    const { url, stop } = await startProcess(["--allow-root"]);
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const body = await new Promise((resolve, reject) =>
      get(`${url}/healthz`, { ca: cert }, (response) => resolve(json(response))).on("error", reject),
    );
    expect(body).toEqual({ status: "up" });
    expect(await stop()).toMatchObject({ code: 0 });
    await writeConfiguration('http: { tls: { certificate: "cert.pem", key: "lost.pem" } }');
    expect(await runStart(["--allow-root"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/lost\.pem`\s+cannot\s+be\s+read\s+\(ENOENT\)/),
    });
  });
});
