import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { NewEvent } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { sourceEnvironment } from "../../../../test/support/servers/source-environment.ts";
import { toCloudEvent, toObservationEvent } from "../http/views/cloud-event.ts";
import {
  beginProcessLease,
  connectDatabase,
  createPollStore,
  createWebhookStore,
  PostgresStore,
  provision,
} from "../postgres/index.ts";
import type { DelivererDeps } from "./delivery-loop.ts";
import { createEndpoints, startWebhookDelivery, type WebhookConfig } from "./index.ts";
import { WebhookReceiver } from "./testing/receiver.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
await provision(database.ownerUrl, async (p) => {
  await p.addTenant("acme");
  await p.addPrincipal({ tenant: "acme", id: "bot", kind: "agent" });
});
const store = new PostgresStore(db.app, lease.number);
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let receiver: WebhookReceiver;
const started: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  receiver = await new WebhookReceiver().start();
  started.push(() => receiver.stop());
});
afterEach(async () => {
  for (const stop of started.splice(0).reverse()) await stop();
});
afterAll(async () => {
  await lease.end();
  await db.close();
});

let calls = 0;
/** Opens a call with these events, as the pipeline would write them. */
async function opened(...kinds: NewEvent["kind"][]): Promise<string> {
  const call = `call_${++calls}`;
  const now = Date.now();
  await store.open({
    tenant: "acme",
    call,
    principal: { tenant: "acme", id: "bot", kind: "agent" },
    key: call,
    capability: "a.b",
    version: 1,
    contractDigest: "c",
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: [],
    requirements: [],
    createdAt: now,
    state: "asking",
    nextAt: now + 60_000,
    events: kinds.map((kind) => createRawEvent(kind, now, { code: "x" })),
    payloads: [{ name: "input", salt: "salt", value: "canary-payload" }],
    ask: { id: `ask_${call}`, round: 1, digest: "d", guards: [], expiresAt: now + 60_000 },
  });
  return call;
}

const voted = (call: string, epoch: number) =>
  store.commit({
    tenant: "acme",
    call,
    epoch,
    state: "asking",
    nextAt: Date.now() + 60_000,
    events: [createRawEvent("voted", Date.now())],
  });

interface Told {
  readonly codes: string[];
  stop(): Promise<void>;
}

async function telling(
  config: Partial<WebhookConfig> = {},
  parts: Partial<DelivererDeps> = {},
): Promise<Told> {
  const outbox = createWebhookStore(db, database.url);
  const codes: string[] = [];
  const deliverer = await startWebhookDelivery({
    endpoints: createEndpoints([{ url: receiver.url, secret: "hook", allowLoopback: true, ...config }]),
    outbox,
    credentials: { resolve: async () => secret },
    now: Date.now,
    toCloudEvent: (ref, item) =>
      item.kind === "observation"
        ? toObservationEvent(ref.tenant, { seq: item.seq, observedAt: item.at, ...item.data })
        : toCloudEvent(ref, item),
    log: (code) => codes.push(code),
    pollMs: 10,
    ...parts,
  });
  const stop = async () => {
    await deliverer.stop();
    await outbox.close();
  };
  started.push(stop);
  return { codes, stop };
}

const delivery = async (call: string) =>
  (
    await database.query(
      "select wanted, delivered, attempts, code, given_up from paraph.webhook_delivery where call = $1",
      [call],
    )
  )[0];
const untilDelivered = (call: string) =>
  eventually(async () => {
    const row = await delivery(call);
    expect(row?.delivered).toBe(row?.wanted);
  });

describe("a webhook", () => {
  it("is a CloudEvent of ids and codes, signed according to Standard Webhooks", async () => {
    await telling();
    const call = await opened("accepted", "asked");
    const [first, second] = await receiver.waitForCount(2);
    expect(JSON.parse(first!.body)).toMatchObject({
      specversion: "1.0",
      type: "dev.paraph.call.accepted.v1",
      subject: call,
      data: { code: "x" },
    });
    expect([first!.id, second!.id]).toEqual([`${call}_1`, `${call}_2`]);
    expect(first!.headers["content-type"]).toBe("application/cloudevents+json");
    const headers = first!.headers as Record<string, string>;
    expect(new Webhook(secret).verify(first!.body, headers)).toBeTruthy();
    expect(() => new Webhook(secret).verify(`${first!.body} `, headers)).toThrow();
    expect(() =>
      new Webhook(`whsec_${Buffer.alloc(32, 8).toString("base64")}`).verify(first!.body, headers),
    ).toThrow();
    // [TRUST 16] No payload reaches a webhook.
    expect(receiver.received.map(({ body }) => body).join()).not.toContain("canary");
  });

  it("verifies with the old and with the new secret during a rotation", async () => {
    const next = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    await telling({}, { credentials: { resolve: async () => `${next} ${secret}` } });
    await opened("accepted");
    const [{ body, headers }] = (await receiver.waitForCount(1)) as [(typeof receiver.received)[0]];
    for (const each of [next, secret])
      expect(new Webhook(each).verify(body, headers as Record<string, string>)).toBeTruthy();
  });

  it("arrives in the order of the call's events, including events of a later transaction", async () => {
    await telling();
    const call = await opened("accepted", "ruled", "asked");
    await voted(call, 1);
    await receiver.waitForCount(4);
    await voted(call, 2);
    const got = await receiver.waitForCount(5);
    expect(got.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5].map((seq) => `${call}_${seq}`));
  });

  it("is sent only for the configured events, principals and tenants", async () => {
    const { stop } = await telling({ events: ["asked"] });
    const call = await opened("accepted", "asked", "voted");
    await untilDelivered(call);
    expect(receiver.received.map(({ id }) => id)).toEqual([`${call}_2`]);
    await stop();
    for (const narrowed of [{ principals: ["other"] }, { tenants: ["other"] }]) {
      const other = await telling(narrowed);
      await untilDelivered(await opened("accepted"));
      await other.stop();
    }
    expect(receiver.received).toHaveLength(1);
  });

  it("is retried under the same id until the receiver accepts it, and the next event waits for it", async () => {
    const answers = [500, 302, 204, 204];
    receiver.answer = () => answers.shift() ?? 204;
    await telling();
    const call = await opened("accepted", "asked");
    const got = await receiver.waitForCount(4);
    expect(got.map(({ id }) => id)).toEqual([1, 1, 1, 2].map((seq) => `${call}_${seq}`));
    await untilDelivered(call);
  });

  it("is recorded as delivered only after the receiver accepts it, so that a crash leaves it undelivered", async () => {
    let recorded: unknown;
    receiver.answer = async ({ id }) => {
      recorded = (await delivery(id.replace(/_1$/, "")))?.delivered;
      return 204;
    };
    await telling();
    const call = await opened("accepted");
    await untilDelivered(call);
    expect(recorded).toBe(0);
  });

  it("does not delay webhooks of other calls if it is refused, however many are refused in a row", async () => {
    await telling();
    const refused = new Set<string>();
    receiver.answer = ({ id }) =>
      Number(id.split("_")[1]) % 2 && !refused.has(id) && refused.add(id) ? 503 : 204;
    const news = await Promise.all(Array.from({ length: 40 }, () => opened("accepted")));
    for (const call of news) await untilDelivered(call);
    // The receiver refused each of these events once, and each waited one second. If every refusal prolonged the
    // endpoint's pause, the test would take hours.
    expect(refused.size).toBe(20);
  });

  it("is given up after three days, and later events are still delivered", async () => {
    receiver.answer = ({ id }) => (id.endsWith("_1") ? 500 : 204);
    let days = 0;
    const { codes } = await telling({}, { now: () => Date.now() + days * 24 * 3_600_000 });
    const call = await opened("accepted", "asked");
    await receiver.waitForCount(1);
    days = 4;
    await untilDelivered(call);
    expect(await delivery(call)).toMatchObject({ given_up: 1 });
    expect(receiver.received.at(-1)?.id).toBe(`${call}_2`);
    expect(codes).toContain("webhook-given-up");
  });

  it("waits for its secret, and is not sent unsigned", async () => {
    let known: string | undefined;
    const { codes } = await telling(
      {},
      {
        credentials: { resolve: async () => known ?? Promise.reject(new Error("missing")) },
      },
    );
    const call = await opened("accepted");
    await eventually(() => expect(codes).toContain("webhook-secret-missing"));
    expect(receiver.received).toEqual([]);
    known = secret;
    await untilDelivered(call);
    expect(receiver.received).toHaveLength(1);
  });

  it("[P10] stores only a code for a failure, never the receiver's response", async () => {
    receiver.answer = () => 500;
    await telling();
    const call = await opened("accepted");
    await eventually(async () => expect(await delivery(call)).toMatchObject({ code: "http-500" }));
  });
});

describe("a webhook of an observation", () => {
  const pollStore = createPollStore(db);
  let looks = 0;
  /** Writes observations as the poll of an adapter would. */
  async function observed(...ids: string[]): Promise<void> {
    const watching = [{ adapter: `log${++looks}`, tenants: undefined, leaseMs: 60_000 }];
    await pollStore.begin(watching);
    const [one] = await pollStore.claim(watching, 1);
    const observations = ids.map((id) => ({
      id,
      kind: "mail.came",
      subject: "canary",
      body: '{"from":"canary"}',
    }));
    await pollStore.commit(one!, { cursor: "", observations }, { waitMs: 60_000, keepMs: 60_000 });
  }

  it("contains the number, adapter and kind, [P10] never the subject or body, and arrives once, in order", async () => {
    await telling({ events: ["observation"] });
    await observed("a", "b");
    await observed("c");
    const got = await receiver.waitForCount(3);
    expect(got.map(({ id }) => id)).toEqual(["obs_acme_1", "obs_acme_2", "obs_acme_3"]);
    expect(JSON.parse(got[2]!.body)).toEqual({
      specversion: "1.0",
      id: "obs_acme_3",
      source: "/v1/observations",
      type: "dev.paraph.observation.v1",
      time: expect.any(String),
      datacontenttype: "application/json",
      data: { seq: 3, adapter: `log${looks}`, kind: "mail.came" },
    });
    expect(got.map(({ body }) => body).join()).not.toContain("canary");
    await untilDelivered("obs_acme");
  });

  const left = async () => {
    const text = "select wanted - delivered as left from paraph.webhook_delivery where call = 'obs_acme'";
    return (
      await database.query(`${text} and endpoint in (select id from paraph.webhook_endpoint where active)`)
    ).map((row) => row.left);
  };

  it("is written only for endpoints that subscribe to observations", async () => {
    await telling();
    await observed("d");
    await untilDelivered(await opened("accepted"));
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
      "dev.paraph.call.accepted.v1",
    ]);
    expect(await left()).toEqual([]);
  });

  it("is skipped if the observation was deleted", async () => {
    await (await telling({ events: ["*"] })).stop();
    await observed("e");
    await database.query("delete from paraph.observation where id = 'e'");
    expect(await left()).toEqual([1]);
    await telling({ events: ["*"] });
    await eventually(async () => expect(await left()).toEqual([0]));
    expect(receiver.received).toEqual([]);
  });
});

describe("[TRUST 17] an address of this machine or of a private network", () => {
  it.each([
    "http://127.0.0.1",
    "http://localhost",
    "http://0x7f.1",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]",
  ])("%s receives no webhook unless the configuration allows it", async (origin) => {
    const { port } = new URL(receiver.url);
    const { stop } = await telling({ url: `${origin}:${port}/hook`, allowLoopback: false });
    const call = await opened("accepted");
    await eventually(async () => expect(await delivery(call)).toMatchObject({ code: "address-not-allowed" }));
    await stop();
    expect(receiver.received).toEqual([]);
  });
});

describe("delivery processes", () => {
  const script = fileURLToPath(new URL("./testing/process.ts", import.meta.url));
  const alive = new Set<ChildProcess>();
  const kill = async (child: ChildProcess) => {
    if (!alive.delete(child)) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const begin = async () => {
    const child = spawn(process.execPath, ["--conditions=paraph-source", "--no-warnings", script], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...sourceEnvironment, DATABASE_URL: database.url, ENDPOINT: receiver.url, SECRET: secret },
    });
    alive.add(child);
    started.push(() => kill(child));
    await once(child.stdout, "data");
    return child;
  };

  it("resend a webhook under the same id after a kill between sending and recording, and omit none", async () => {
    const first = await begin();
    receiver.answer = async () => {
      receiver.answer = () => 204;
      await kill(first);
      return 204;
    };
    const call = await opened("accepted", "asked");
    await receiver.waitForCount(1);
    await begin();
    const got = await receiver.waitForCount(3);
    expect(got.map(({ id }) => id)).toEqual([1, 1, 2].map((seq) => `${call}_${seq}`));
    await untilDelivered(call);
  });

  it("deliver from one of two processes, and the other takes over when it dies", async () => {
    const both = [await begin(), await begin()];
    const senders = (call: string) =>
      new Set(
        receiver.received
          .filter(({ id }) => id.startsWith(`${call}_`))
          .map(({ body }) => JSON.parse(body).sender),
      );
    const call = await opened("accepted", "asked", "voted");
    await untilDelivered(call);
    // Delivery is at least once. An id may arrive twice, but never from two processes while both live.
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(
      new Set([1, 2, 3].map((seq) => `${call}_${seq}`)),
    );
    expect(senders(call).size).toBe(1);
    const first = both.find(({ pid }) => senders(call).has(pid));
    const second = both.find((child) => child !== first);
    await kill(first!);
    const next = await opened("accepted");
    await untilDelivered(next);
    expect(senders(next)).toEqual(new Set([second!.pid]));
  });
});
