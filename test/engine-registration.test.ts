// The engine's two ports require no login. Tests that Paraph undoes the changes that another program makes there, and
// that these changes never cause an effect.
import { createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { startRestate } from "@paraph/dev-servers";
import * as restate from "@restatedev/restate-sdk";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createEngineConnection } from "../packages/server/src/engine/restate/index.ts";
import { eventually } from "./support/eventually.ts";
import { queryEngine } from "./support/servers/query-engine.ts";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type TestCallView, TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start({ engine: "restate" });
const admin = createEngineConnection(cluster.restate.adminUrl);
const ingress = createEngineConnection(cluster.restate.ingressUrl);
afterAll(async () => {
  await Promise.all([admin.close(), ingress.close()]);
  await cluster.stop();
});
// Every segment goes through the engine.
const first = await cluster.startProcess("api,worker", { HERE: "0" });
const client = new TestClient(first.url, cluster.keys);

interface Listed {
  readonly id: string;
  readonly uri: string;
  readonly services: readonly { readonly name: string }[];
}
async function deployments(): Promise<Listed[]> {
  return JSON.parse((await admin.request("GET", "/deployments")).text).deployments;
}
async function service() {
  return JSON.parse((await admin.request("GET", "/services/call")).text);
}
// The first registration can fail on a busy machine. Paraph then repeats it.
const [own] = await eventually(async () => {
  const listed = await deployments();
  expect(listed).toHaveLength(1);
  return listed;
});

/**
 * Starts another program's service under Paraph's name. The service accepts messages and never completes them, so that
 * their calls stay blocked.
 */
async function rogue() {
  const took: string[] = [];
  const call = restate.object({
    name: "call",
    handlers: {
      advance: (ctx: restate.ObjectContext) => {
        took.push(ctx.key);
        return new Promise<void>(() => {});
      },
    },
  });
  const server = createServer(restate.createEndpointHandler({ services: [call], logger: () => {} }));
  const sessions = new Set<Http2Session>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, took };
}

async function performed(call: string): Promise<void> {
  expect(await client.waitForOutcome(call)).toMatchObject({
    state: "closed",
    outcome: { kind: "succeeded" },
  });
  expect(cluster.oracle.listEffects(call)).toHaveLength(1);
}
const isReady = async () => (await fetch(`${first.url}/readyz`)).status === 200;

describe("[TRUST 26] another program that reaches the engine's admin port", () => {
  it("cannot keep its own service in Paraph's place, and Paraph repeats the messages that the service took", async () => {
    const { url, took } = await rogue();
    const { body } = await client.call("asked.keyed", { name: "door" });
    const registered = await admin.request("POST", "/deployments", { uri: url, force: true, breaking: true });
    expect(registered.status).toBe(201);
    const { id } = JSON.parse(registered.text);
    // Paraph notices the registration soon, but a message can reach the other service first.
    await ingress.request("POST", `/call/acme%2F${body.call}/advance/send`, { epoch: 1 });
    expect((await client.approve(body as TestCallView)).status).toBe(200);
    await performed(body.call);
    await eventually(async () => expect((await deployments()).map((each) => each.uri)).toEqual([own!.uri]));
    expect((await service()).deployment_id).not.toBe(id);
    await expect.poll(() => cluster.logs).toContain("engine-registration-foreign");
    const held = await queryEngine(
      cluster.restate.adminUrl,
      `select id from sys_invocation where status <> 'completed' and last_attempt_deployment_id = '${id}'`,
    );
    expect(JSON.parse(held).rows).toEqual([]);
    // The other service learns only tenants and ids of calls.
    for (const key of took) expect(key).toMatch(/^acme\/call_\w+$/);
    await eventually(async () => expect(await isReady()).toBe(true));
  });

  it("cannot keep Paraph's deployment pointed to another address", async () => {
    const { url } = await rogue();
    const { deployment_id } = await service();
    const patched = await admin.request("PATCH", `/deployments/${deployment_id}`, { uri: url });
    expect(patched.status).toBe(200);
    const { body } = await client.call("free.keyed", { name: "moved" });
    await performed(body.call);
    await eventually(async () => expect((await deployments()).map((each) => each.uri)).toEqual([own!.uri]));
  });

  it("cannot keep changed settings of the service, and Paraph restores its own", async () => {
    const { public: isPublic, abort_timeout } = await service();
    const change = { public: false, abort_timeout: "1s" };
    expect((await admin.request("PATCH", "/services/call", change)).status).toBe(200);
    const { body } = await client.call("free.keyed", { name: "hidden" });
    await performed(body.call);
    await eventually(async () => expect(await service()).toMatchObject({ public: isPublic, abort_timeout }));
    await expect.poll(() => cluster.logs).toContain("engine-registration-changed");
  });

  it("cannot stop calls by deleting Paraph's deployment, which Paraph registers again", async () => {
    const { body } = await client.call("asked.keyed", { name: "door" });
    const { deployment_id } = await service();
    expect((await admin.request("DELETE", `/deployments/${deployment_id}?force=true`)).status).toBe(202);
    expect((await client.approve(body as TestCallView)).status).toBe(200);
    await performed(body.call);
    await expect.poll(() => cluster.logs).toContain("engine-registration-forgotten");
  });
});

describe("[TRUST 26] another program that reaches the engine's ingress", () => {
  it("cannot cause anything that the database rows do not allow by sending messages about calls", async () => {
    const { body } = await client.call("asked.keyed", { name: "door" });
    const { body: done } = await client.call("free.none", { name: "once" }, { wait: 60 });
    const before = await cluster.database.query("select count(*)::int from paraph.event");
    const keys = [
      ...[`acme/${body.call}`, `acme/${done.call}`, `other/${body.call}`, "acme/call_unknown", "acme", "/"],
      ...[
        "",
        "acme/",
        `acme/${body.call}/x`,
        "a'; drop table paraph.call; --/x",
        "\u0000/\u202e",
        "é".repeat(3_000),
      ],
    ];
    const bodies = [{ epoch: 1 }, { epoch: -1 }, { epoch: 1e300 }, { decision: "approve" }, [], {}];
    let taken = 0;
    for (const key of keys)
      for (const message of bodies) {
        const path = `/call/${encodeURIComponent(key)}/advance/send`;
        if ((await ingress.request("POST", path, message)).status < 300) taken += 1;
      }
    expect(taken).toBeGreaterThan(30);
    await eventually(async () => {
      const left =
        "select count(*) as n from sys_invocation where status <> 'completed' and status <> 'scheduled'";
      expect(JSON.parse(await queryEngine(cluster.restate.adminUrl, left)).rows).toEqual([{ n: 0 }]);
    });
    expect(await cluster.database.query("select count(*)::int from paraph.event")).toEqual(before);
    expect([
      cluster.oracle.listEffects(body.call).length,
      cluster.oracle.listEffects(done.call).length,
    ]).toEqual([0, 1]);
    expect((await client.approve(body as TestCallView)).status).toBe(200);
    await performed(body.call);
  });
});

describe("workers with different addresses", () => {
  it("[P14] take over from a worker that died, and leave each other's registration alone", async () => {
    const second = await cluster.startProcess("worker", { WORKER_PORT: "0" });
    await eventually(async () => expect(await deployments()).toHaveLength(2));
    const other = (await deployments()).find(({ uri }) => uri !== own!.uri)!.uri;
    const { body } = await client.call("free.keyed", { name: "either" });
    await performed(body.call);
    const countRepairs = () => cluster.logs.split("engine-registration-foreign").length;
    const repaired = countRepairs();
    await second.kill();
    const { body: later } = await client.call("free.keyed", { name: "later" });
    await performed(later.call);
    await eventually(async () => expect((await deployments()).map(({ uri }) => uri)).not.toContain(other));
    // Only the death of the second worker causes a repair. Two live workers do not change each other's registration.
    await expect.poll(countRepairs).toBe(repaired + 1);
  });
});

describe("the engine is unavailable at the start", () => {
  it("[P14] a process with both roles accepts calls, reports not ready, and continues once the engine is back", async () => {
    await cluster.stopProcesses();
    await cluster.restate.kill();
    const { url } = await cluster.startProcess("api,worker", { HERE: "0" });
    const early = new TestClient(url, cluster.keys);
    const { status, body } = await early.call("free.keyed", { name: "early" });
    expect(status).toBe(202);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      expect.objectContaining({ code: "not-ready", failing: ["engine", "workers"] }),
    ]);
    cluster.restate = await startRestate({ folder: cluster.folder });
    expect(await early.waitForOutcome(body.call)).toMatchObject({ outcome: { kind: "succeeded" } });
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
  });
});
