import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { verifyReceipt } from "@paraph/core";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createEngineConnection } from "../packages/server/src/engine/restate/index.ts";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type TestCallView, TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start({ engine: "restate" });
afterAll(() => cluster.stop());
const { oracle } = cluster;
// The time limit of an attempt that an API process performs itself. Paraph detects a dead process in far less time.
cluster.environment.ATTEMPT_TIMEOUT = "30s";
// This API process leaves every segment to the workers, so that a test knows which process runs it.
const api = await cluster.startProcess("api", { HERE: "0" });
const client = new TestClient(api.url, cluster.keys);
let worker = await cluster.startProcess("worker");

beforeEach(() => {
  oracle.beforeEffect = async () => {};
  oracle.afterEffect = async () => {};
});

/** Checks that the call has one outcome, the expected effects, and one receipt that verifies. */
async function holds(call: string, outcome = "succeeded", effects = 1): Promise<TestCallView> {
  const view = await client.waitForOutcome(call);
  expect(view).toMatchObject({ state: "closed", outcome: { kind: outcome } });
  expect(oracle.listEffects(call)).toHaveLength(effects);
  const keys = (await client.request("agent", "GET", "/v1/keys")).body.keys as never;
  const { body: receipt } = await client.request("agent", "GET", `/v1/calls/${call}/receipt`);
  const { story } = await verifyReceipt(receipt, keys);
  expect(story.outcome.kind).toBe(outcome);
  return view;
}

/** Checks that the call continued because its process was found dead, and not because the attempt's deadline passed. */
async function expectNoticedBeforeDeadline(call: string): Promise<void> {
  const [next] = await cluster.database.query(
    `select e.at < i.deadline as early from paraph.event e join paraph.intent i on i.call = e.call and i.attempt = 1
     where e.call = $1 and e.seq = 1 + (select min(seq) from paraph.event where call = $1 and kind = 'intended')`,
    [call],
  );
  expect(next).toEqual({ early: true });
}

/** Stops the oracle at this verb until the test calls `release`. `reached` resolves when the oracle stops there. */
function hold(
  when: "beforeEffect" | "afterEffect",
  verb: string,
): { reached: Promise<void>; release: () => void } {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  oracle[when] = async (asked) => {
    if (asked !== verb) return;
    reached.resolve();
    await gate.promise;
  };
  return { reached: reached.promise, release: gate.resolve };
}

async function asked(capability = "asked.keyed"): Promise<TestCallView> {
  const { body, status } = await client.call(capability, { name: "door" });
  expect(status).toBe(202);
  return body;
}

describe("a worker is killed", () => {
  it("[P2] [P12] between approval and apply, and another worker performs the call once", async () => {
    const call = await asked();
    await worker.kill();
    expect((await client.approve(call)).status).toBe(200);
    expect(oracle.listEffects(call.call)).toHaveLength(0);
    worker = await cluster.startProcess("worker");
    await holds(call.call);
  });

  it("[P7] while it revalidates the call before the intent, and another worker performs the call once", async () => {
    const call = await asked();
    const gate = hold("beforeEffect", "preview");
    await client.approve(call);
    await gate.reached;
    await worker.kill();
    oracle.beforeEffect = async () => {};
    gate.release();
    worker = await cluster.startProcess("worker");
    await holds(call.call);
  });

  it.each([
    ["natural", "succeeded", 2],
    ["keyed", "succeeded", 1],
    ["probe", "succeeded", 1],
    ["none", "unknown", 1],
  ] as const)(
    "[P7] after the effect and before its record, and a call of idempotency %s ends %s with %i effects",
    async (kind, outcome, effects) => {
      const gate = hold("afterEffect", "apply");
      const { body: call } = await client.call(`free.${kind}`, { name: "door" });
      await gate.reached;
      await worker.kill();
      oracle.afterEffect = async () => {};
      gate.release();
      worker = await cluster.startProcess("worker");
      await holds(call.call, outcome, effects);
    },
  );

  it("[P7] while it acts, and another worker takes over the call before the attempt's deadline", async () => {
    const listLeases = () => cluster.database.query("select life from paraph.process_lease");
    const leases = (await listLeases()).map(({ life }) => life);
    const second = await cluster.startProcess("worker");
    const secondLease = (await listLeases()).find(({ life }) => !leases.includes(life));
    const gate = hold("afterEffect", "apply");
    const { body: call } = await client.call("free.keyed", { name: "door" });
    await gate.reached;
    const [performing] = await cluster.database.query("select life from paraph.intent where call = $1", [
      call.call,
    ]);
    expect(performing).toBeDefined();
    // Either worker may run the call. The other one runs already, because the start of a process can take longer than
    // the attempt on a busy machine.
    const [victim, survivor] = performing?.life === secondLease?.life ? [second, worker] : [worker, second];
    await victim.kill();
    worker = survivor;
    oracle.afterEffect = async () => {};
    gate.release();
    await holds(call.call);
    await expectNoticedBeforeDeadline(call.call);
  });
});

describe("an API process is killed", () => {
  it("[P2] [P12] between its commit and its message to the engine, and the sweeper sends it, with one effect", async () => {
    const black = await blackHole();
    const honest = cluster.ingressUrl;
    cluster.ingressUrl = black.url;
    const doomed = await cluster.startProcess("api", { HERE: "0" });
    cluster.ingressUrl = honest;
    // Paraph accepts the call whether or not the engine responds.
    const doomedClient = new TestClient(doomed.url, cluster.keys);
    const { status, body } = await doomedClient.call("free.keyed", { name: "gate" });
    expect(status).toBe(202);
    await black.reached;
    await doomed.kill();
    await black.stop();
    await holds(body.call);
  });

  it.each([
    ["natural", "succeeded", 2],
    ["keyed", "succeeded", 1],
    ["probe", "succeeded", 1],
    ["none", "unknown", 1],
  ] as const)(
    "[P7] after it performs the effect and before its record, and a call of idempotency %s ends %s with %i effects",
    async (kind, outcome, effects) => {
      const doomed = await cluster.startProcess("api");
      const gate = hold("afterEffect", "apply");
      void new TestClient(doomed.url, cluster.keys).call(`free.${kind}`, { name: "gate" }).catch(() => {});
      await gate.reached;
      const call = oracle.effects.at(-1)?.call ?? "";
      await doomed.kill();
      oracle.afterEffect = async () => {};
      gate.release();
      await holds(call, outcome, effects);
      await expectNoticedBeforeDeadline(call);
    },
  );

  it("[P2] after it accepts a call and before the intent, and the engine runs the call once", async () => {
    const doomed = await cluster.startProcess("api");
    const looked = Promise.withResolvers<void>();
    let looks = 0;
    const gate = Promise.withResolvers<void>();
    oracle.beforeEffect = async (verb) => {
      // Admission makes the first preview. The segment makes the second one after it holds the lock.
      if (verb !== "preview" || ++looks < 2) return;
      looked.resolve();
      await gate.promise;
    };
    void new TestClient(doomed.url, cluster.keys)
      .call("free.keyed", { name: "gate", lock: "gate" })
      .catch(() => {});
    await looked.promise;
    const [row] = await cluster.database.query(
      "select id from paraph.call where state = 'ready' order by id desc limit 1",
    );
    await doomed.kill();
    oracle.beforeEffect = async () => {};
    gate.resolve();
    await holds(String(row?.id));
  });
});

describe("the engine", () => {
  it("[P14] loses its disk with 100 open approvals, and all can be decided and end with one effect each", async () => {
    const calls = await Promise.all(Array.from({ length: 100 }, () => asked()));
    await cluster.wipeEngine();
    const decisions = await Promise.all(calls.map((call) => client.approve(call)));
    expect(decisions.every(({ status }) => status === 200)).toBe(true);
    for (const { call } of calls) await holds(call);
  });

  it("[TRUST 26] is the only caller that a worker accepts, and an unsigned request gets 401", async () => {
    const admin = createEngineConnection(cluster.restate.adminUrl);
    const { deployments } = JSON.parse((await admin.request("GET", "/deployments")).text);
    await admin.close();
    const { connect } = await import("node:http2");
    const session = connect(deployments[0].uri);
    const request = session.request({
      ":method": "POST",
      ":path": "/invoke/call/advance",
      "content-type": "application/vnd.restate.invocation.v5",
    });
    const status = await new Promise((resolve) =>
      request.on("response", (headers) => resolve(headers[":status"])),
    );
    session.destroy();
    expect(status).toBe(401);
  });
});

/** Starts a server that accepts connections and never responds, so that a message stays in transit. */
async function blackHole() {
  const reached = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("data", () => reached.resolve());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached: reached.promise,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
