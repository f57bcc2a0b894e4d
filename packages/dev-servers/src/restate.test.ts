import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as restate from "@restatedev/restate-sdk";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { createEngineConnection } from "../../server/src/engine/restate/engine-connection.ts";
import { type LocalRestate, type LocalRestateOptions, startRestate } from "./index.ts";
import { isRunning } from "./process-check.ts";

let folder: string;
/** The signature schemes of the requests that reached a worker. */
let schemes: unknown[];

beforeEach(async () => {
  schemes = [];
  folder = await mkdtemp(join(tmpdir(), "paraph-restate-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

async function startTestRestate(options: Partial<LocalRestateOptions> = {}): Promise<LocalRestate> {
  const server = await startRestate({ folder, ...options });
  onTestFinished(() => server.stop());
  return server;
}

const counter = restate.object({
  name: "counter",
  handlers: {
    add: async (context: restate.ObjectContext, amount: number) => {
      const total = ((await context.get<number>("total")) ?? 0) + amount;
      context.set("total", total);
      return { total };
    },
  },
});

/** Starts a worker that accepts only requests signed with the key. */
async function startWorker(publicKey: string): Promise<string> {
  const handler = restate.createEndpointHandler({
    services: [counter],
    identityKeys: [publicKey],
    logger: () => {},
  });
  const server = createServer(handler).listen(0, "127.0.0.1");
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (_, headers) => schemes.push(headers["x-restate-signature-scheme"]));
  onTestFinished(async () => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function register({ adminUrl }: LocalRestate, uri: string): Promise<void> {
  const { status, text } = await request(adminUrl, "POST", "/deployments", { uri });
  expect([status, text]).toEqual([201, expect.any(String)]);
}

async function listDeployments({ adminUrl }: LocalRestate): Promise<{ uri: string }[]> {
  return JSON.parse((await request(adminUrl, "GET", "/deployments")).text).deployments;
}

/** Adds an amount to the counter. Retries, because a server that has just restarted may not know its services yet. */
async function addToCounter({ ingressUrl }: LocalRestate, amount: number): Promise<unknown> {
  return eventually(async () => {
    const { status, text } = await request(ingressUrl, "POST", "/counter/one/add", amount);
    expect(status).toBe(200);
    return JSON.parse(text);
  });
}

async function request(url: string, method: string, path: string, body?: object | number) {
  // A request that timed out may still add its amount, and its repetition would then add the amount again.
  const connection = createEngineConnection(url, { timeoutMs: 60_000 });
  try {
    return await connection.request(method, path, body as object);
  } finally {
    await connection.close();
  }
}

async function sendUnsigned(uri: string, path: string): Promise<unknown> {
  const session = connect(uri);
  const request = session.request({ ":method": "POST", ":path": path }).end();
  const [headers] = await once(request, "response");
  session.destroy();
  return headers[":status"];
}

it("signs its requests, and a worker with its public key refuses unsigned ones", async () => {
  const server = await startTestRestate();
  const worker = await startWorker(server.publicKey);
  await register(server, worker);
  expect(await addToCounter(server, 2)).toEqual({ total: 2 });
  expect(new Set(schemes)).toEqual(new Set(["v1"]));
  expect(await sendUnsigned(worker, "/invoke/counter/add")).toBe(401);
  expect((await stat(join(folder, "restate-identity.pem"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "restate"))).mode & 0o777).toBe(0o700);
});

it("is refused by a worker that trusts another key", async () => {
  const server = await startTestRestate();
  const worker = await startWorker("publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9");
  const { status } = await request(server.adminUrl, "POST", "/deployments", { uri: worker });
  expect(status).toBeGreaterThanOrEqual(400);
});

it("keeps its data over a crash and a restart", async () => {
  const first = await startTestRestate();
  const worker = await startWorker(first.publicKey);
  await register(first, worker);
  expect(await addToCounter(first, 2)).toMatchObject({ total: 2 });
  await first.stop();
  expect(isRunning(first.pid)).toBe(false);

  const second = await startTestRestate();
  expect(second.publicKey).toBe(first.publicKey);
  expect(await addToCounter(second, 3)).toMatchObject({ total: 5 });
  process.kill(second.pid, "SIGKILL");
  expect(await second.exited).toMatchObject({ signal: "SIGKILL" });

  expect(await addToCounter(await startTestRestate(), 4)).toMatchObject({ total: 9 });
});

it("starts empty at the same address after its data was deleted", async () => {
  const first = await startTestRestate();
  const worker = await startWorker(first.publicKey);
  await register(first, worker);
  await first.stop();
  await rm(join(folder, "restate"), { recursive: true });

  const second = await startTestRestate();
  expect([second.ingressUrl, second.adminUrl]).toEqual([first.ingressUrl, first.adminUrl]);
  expect(await listDeployments(second)).toEqual([]);
  await register(second, worker);
  expect(await addToCounter(second, 1)).toMatchObject({ total: 1 });
});

it("applies the number of partitions and further settings", async () => {
  const server = await startTestRestate({ partitions: 3, env: { RESTATE_ADMIN__DISABLE_WEB_UI: "true" } });
  await eventually(async () => {
    const started = (await readFile(join(folder, "restate.log"), "utf8")).match(/Partition \d+ started/g);
    // A partition may start more than once on a busy machine.
    expect(new Set(started)).toEqual(new Set([0, 1, 2].map((partition) => `Partition ${partition} started`)));
  });
  expect((await request(server.adminUrl, "GET", "/ui/")).status).toBe(404);
});

it("refuses a second server for the folder and names the first", async () => {
  const first = await startTestRestate();
  const refusal = await startRestate({ folder }).catch((error) => error);
  expect(refusal).toMatchObject({ name: "ServerError", code: "already-running" });
  expect(refusal.message).toContain(folder);
  expect(refusal.message).toContain(String(first.pid));
});

it("[TRUST 26] serves from a folder whose path is too long for a socket", async () => {
  folder = join(folder, "a".repeat(100), "b".repeat(100));
  await mkdir(folder, { recursive: true });
  const { adminUrl } = await startTestRestate();
  const [, link] = /^unix:(.*)\/paraph\/admin\.sock$/.exec(adminUrl)!;
  expect(await readlink(link!)).toBe(join(folder, "restate"));
  expect((await stat(join(link!, ".."))).mode & 0o777).toBe(0o700);
  onTestFinished(() => rm(join(link!, ".."), { recursive: true }));

  // Another user who created the folder first could redirect the link.
  await chmod(join(link!, ".."), 0o777);
  await expect(startRestate({ folder })).rejects.toMatchObject({ code: "start-failed" });
});

it("quotes the log when the server does not come up", async () => {
  const failure = await startTestRestate({ env: { RESTATE_DEFAULT_NUM_PARTITIONS: "many" } }).catch(
    (error) => error,
  );
  expect(failure).toMatchObject({ code: "start-failed" });
  expect(failure.message).toContain("many");
});

it("spills to its own folder, and removes the spill files of an earlier start", async () => {
  const spill = join(folder, "restate", "spill");
  const made = async (except: readonly string[] = []) =>
    eventually(async () => {
      const found = await readdir(spill);
      expect(found.filter((name) => !except.includes(name))).not.toEqual([]);
      return found;
    });
  const server = await startTestRestate();
  const first = await made();
  await server.kill();
  await startTestRestate();
  expect((await made(first)).filter((name) => first.includes(name))).toEqual([]);
});
