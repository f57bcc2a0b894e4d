// Tests `paraph dev` from start to end, in an empty folder and in a separate process.
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { approveByFingerprint } from "../../../../../test/support/approve-by-fingerprint.ts";
import { PlainBrowser } from "../../../../../test/support/web/plain-browser.ts";
import { type RunningCli, runCli, startCli } from "../../testing/run-cli.ts";

let folder: string;
let dev: RunningCli | undefined;
let call: string;
let link: string;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-dev-"));
  // PostgreSQL does not run as root, so its own user must be able to enter the folder.
  await chmod(folder, 0o711);
});

afterAll(async () => {
  dev?.process.kill("SIGTERM");
  await dev?.ended;
  await rm(folder, { recursive: true, force: true });
});

async function start(...args: string[]): Promise<{ url: string; login: string }> {
  dev = startCli(["dev", "--json", ...args], { folder });
  const ready = JSON.parse(await dev.firstLine);
  expect(ready).toMatchObject({ url: expect.any(String) });
  address = ready.url;
  return ready;
}

const run = (...args: string[]) => runCli(args, { folder });

async function readServerPid(name: "postgres" | "restate"): Promise<number> {
  const lock = await readFile(join(folder, `.paraph/${name}.lock`), "utf8");
  return (JSON.parse(lock) as { server: number }).server;
}

const gone = (pid: number) =>
  expect
    .poll(() => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    })
    .toBe(false);

it("starts in an empty folder and answers requests once it prints its URL", async () => {
  const { url, login } = await start("--host", "127.0.0.1");
  link = login;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await run("doctor")).toMatchObject({ code: 0, stdout: expect.stringContaining("PostgreSQL") });
  // The folder contains keys, so search tools and git must ignore it.
  for (const name of [".gitignore", ".ignore"])
    expect(await readFile(join(folder, ".paraph", name), "utf8")).toBe("*\n");
});

it("a second start in the same folder says where Paraph already runs", async () => {
  expect(await run("dev")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Paraph already runs here at ${address}.`),
  });
});

it("[TRUST 22] logs the owner in with a single-use link, and a secure cookie because the host is loopback", async () => {
  const browser = new PlainBrowser();
  const pressed = await browser.submit(await browser.open(link));
  expect(pressed.text).toContain("<strong>owner</strong>");
  expect(browser.received.at(-1)).toMatch(/^__Host-paraph=.*; Secure/);
  const me = await browser.fetch(new URL("/v1/me", link).href);
  expect(await me.json()).toMatchObject({ id: "owner", how: "session", groups: ["paraph:admins"] });
  expect((await browser.submit(await new PlainBrowser().open(link))).status).toBe(403);
});

it("a call that needs approval exits with code 8 and writes nothing", async () => {
  const result = await run(
    "call",
    "files.write",
    "path=hello.txt",
    "content=Hello",
    "--purpose",
    "To greet\u202e you",
  );
  expect(result).toMatchObject({ code: 8, stdout: "" });
  expect(result.stderr).toMatch(/waiting for approval.*paraph approve ask_/s);
  expect(result.stderr).toContain("+Hello");
  call = /call_\w+/.exec(result.stderr)![0];
  await expect(readFile(join(folder, "workspace/hello.txt"))).rejects.toMatchObject({ code: "ENOENT" });

  const { stdout } = await run("approval", call);
  expect(stdout).toContain("purpose (unchecked)\n  │ To greet<U+202E> you");
  expect(stdout).toContain(", owner owner");
});

it("performs an approved call once", async () => {
  expect(await run("approve", call)).toMatchObject({ code: 2 });
  const approved = await approveByFingerprint(run, call, "--reason", "fine");
  expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining("succeeded") });
  expect(JSON.parse(approved.stdout)).toMatchObject({ bytes: 5, created: true });
  expect(await readFile(join(folder, "workspace/hello.txt"), "utf8")).toBe("Hello");
  expect(await approveByFingerprint(run, call)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("already closed"),
  });
});

it("maps the outcome of a command to an exit code", async () => {
  const read = await run("call", "files.read", "path=hello.txt");
  expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('"content": "Hello"') });
  expect(await run("call", "files.read", "path=nowhere.txt")).toMatchObject({ code: 1 });
  expect(await run("call", "files.nothing")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("paraph capabilities"),
  });
  expect(await run("call", "files.write", "path=../out", "content=x")).toMatchObject({ code: 3 });
  const environment = { PARAPH_APPROVER_KEY: "wrong", PARAPH_URL: address };
  expect(await runCli(["calls"], { folder, environment })).toMatchObject({ code: 4 });

  const pending = await run("call", "files.write", "path=no.txt", "content=x", "--json");
  const { waiting } = JSON.parse(pending.stdout) as { waiting: { approval: { id: string } } };
  expect(await run("deny", waiting.approval.id, "--yes")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("denied"),
  });
});

it("leaves no PostgreSQL process running after it is killed, and never started Restate", async () => {
  expect(await run("receipt", call, "-o", "receipt.json")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^Wrote receipt\.json.*paraph verify receipt\.json +# verify it offline$/ms,
    ),
  });
  const postgres = await readServerPid("postgres");
  await expect(readServerPid("restate")).rejects.toMatchObject({ code: "ENOENT" });
  dev!.process.kill("SIGKILL");
  await dev!.ended;
  await gone(postgres);
  expect(await run("calls")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Paraph is not running for"),
  });
});

it("verifies the receipt while all servers are stopped", async () => {
  const { code, stdout } = await run("verify", "receipt.json");
  expect(stdout).toMatch(/verified {2}call_/);
  expect(stdout).toMatch(/confirmed +by owner/);
  expect(code).toBe(0);
});

it("shows the call after a restart, and shuts down cleanly on Ctrl-C", async () => {
  await start();
  const result = await run("show", call);
  expect(result).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("owner confirms, as the agent's owner"),
  });
  dev!.process.kill("SIGINT");
  expect(await dev!.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("Stopped.") });
});

it("with `--engine restate`, runs on Restate, names the server that died, and exits with code 1", async () => {
  await start("--engine", "restate");
  const sent = await run("call", "files.write", "path=later.txt", "content=x", "--json");
  expect(await approveByFingerprint(run, JSON.parse(sent.stdout).call)).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, "workspace/later.txt"), "utf8")).toBe("x");
  const [postgres, restate] = [await readServerPid("postgres"), await readServerPid("restate")];
  process.kill(restate, "SIGKILL");
  const { code, stdout } = await dev!.ended;
  expect(stdout).toContain("Restate ended unexpectedly (SIGKILL)");
  expect(code).toBe(1);
  await gone(postgres);
});
