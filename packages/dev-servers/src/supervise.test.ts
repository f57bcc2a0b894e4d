import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { startPostgres, startRestate } from "./index.ts";
import { isRunning } from "./process-check.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-servers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

type Parent = { process: ChildProcess; pids: number[]; nextLine(): Promise<string> };

/** Starts another Node process that starts both servers and then runs `afterwards`. */
async function startParent(afterwards: string): Promise<Parent> {
  const code = `
    import { startPostgres, startRestate } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
    import { createEngineConnection } from ${JSON.stringify(new URL("../../server/src/engine/restate/engine-connection.ts", import.meta.url).href)};
    const folder = ${JSON.stringify(folder)};
    const servers = await Promise.all([startPostgres({ folder, durable: false }), startRestate({ folder })]);
    console.log(JSON.stringify(servers.map(({ pid }) => pid)));
    ${afterwards}`;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit"],
    // The process gets its own process group, as a shell gives to a command in a terminal.
    detached: true,
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const lines = createInterface({ input: parent.stdout! })[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value ?? "";
  return { process: parent, pids: JSON.parse(await nextLine()), nextLine };
}

async function expectGone(pids: number[]): Promise<void> {
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
}

it("leaves no server running when the parent is killed", async () => {
  const parent = await startParent("setInterval(() => {}, 1000);");
  expect(parent.pids.map(isRunning)).toEqual([true, true]);
  parent.process.kill("SIGKILL");
  await expectGone(parent.pids);
  // A guardian frees its lock only after it has noticed the end of its server.
  const locks = ["postgres", "restate"].map((name) => join(folder, `${name}.lock`));
  await eventually(() => expect(locks.filter((lock) => existsSync(lock))).toEqual([]));
  // The files that were left behind do not prevent the next start.
  const [postgres, restate] = await Promise.all([
    startPostgres({ folder, durable: false }),
    startRestate({ folder }),
  ]);
  await Promise.all([postgres.stop(), restate.stop()]);
});

it("does not keep the parent alive, and leaves no server running after the parent exits", async () => {
  const parent = await startParent("");
  expect(await once(parent.process, "exit")).toEqual([0, null]);
  await expectGone(parent.pids);
});

it("does not pass Ctrl-C to the servers, so that the parent decides when they stop", async () => {
  const parent = await startParent(`
    process.once("SIGINT", async () => {
      const engine = createEngineConnection(servers[1].ingressUrl, { timeoutMs: 60_000 });
      const health = await engine.request("GET", "/restate/health");
      process.kill(servers[0].pid, 0);
      console.log("after Ctrl-C: " + health.status);
      await Promise.all(servers.map((server) => server.stop()));
      process.exit();
    });
    console.log("ready");
    setInterval(() => {}, 1000);`);
  expect(await parent.nextLine()).toBe("ready");
  const exit = once(parent.process, "exit");
  process.kill(-parent.process.pid!, "SIGINT");
  expect(await parent.nextLine()).toBe("after Ctrl-C: 200");
  expect(await exit).toEqual([0, null]);
  expect(parent.pids.filter(isRunning)).toEqual([]);
});

it("a server can be stopped and killed more than once", async () => {
  const restate = await startRestate({ folder });
  await Promise.all([restate.stop(), restate.stop()]);
  await restate.kill();
  await restate.stop();
});

it.runIf(process.platform === "linux")("stops a server whose guardian was killed", async () => {
  const restate = await startRestate({ folder });
  const guardian = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${restate.pid}/status`, "utf8"))?.[1]);
  process.kill(guardian, "SIGKILL");
  await restate.exited;
  await expectGone([restate.pid]);
});

const inPrivate =
  "[TRUST 26] PostgreSQL listens on 127.0.0.1 only, Restate on no port: only on sockets that no other user reaches";
it.runIf(process.platform === "linux")(inPrivate, async () => {
  // The folder already exists, with the most common mode.
  await mkdir(join(folder, "restate"), { mode: 0o755 });
  const postgres = await startPostgres({ folder, durable: false });
  onTestFinished(() => postgres.stop());
  const restate = await startRestate({ folder });
  onTestFinished(() => restate.stop());
  expect(listListeners(postgres.pid)).toEqual([`127.0.0.1:${postgres.port}`]);
  const sockets = ["admin", "fabric", "ingress"].map((name) => `unix:${folder}/restate/paraph/${name}.sock`);
  expect(listListeners(restate.pid).sort()).toEqual(sockets);
  expect([restate.adminUrl, restate.ingressUrl]).toEqual([sockets[0], sockets[2]]);
  expect(statSync(join(folder, "restate")).mode & 0o777).toBe(0o700);
});

/**
 * Returns the addresses that `pid` listens on, from the kernel's tables. Addresses other than IPv4 keep the kernel's
 * notation.
 */
function listListeners(pid: number): string[] {
  const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => readDescriptor(`/proc/${pid}/fd/${fd}`));
  const inodes = new Set(fds.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const rows = (table: string) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((row) => row.trim().split(/\s+/));
  const tcp = ["tcp", "tcp6"]
    .flatMap(rows)
    .filter((row) => row[3] === "0A" && inodes.has(row[9]!))
    .map((row) => formatAddress(row[1]!));
  const unix = rows("unix")
    .filter((row) => row[3] === "00010000" && inodes.has(row[6]!))
    // Some kernels omit the first slash.
    .map((row) => `unix:/${row[7]?.replace(/^\//, "")}`);
  return [...tcp, ...unix];
}

/** Reads the target of a file descriptor. The process may have closed it since it was listed, which returns "". */
function readDescriptor(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return "";
  }
}

function formatAddress(address: string): string {
  const [host, port] = address.split(":") as [string, string];
  return `${host === "0100007F" ? "127.0.0.1" : host}:${Number.parseInt(port, 16)}`;
}
