import { Catalog, type Guard, type JsonObject, type Ports } from "@paraph/core";
import { createRawEvent } from "@paraph/core/testing";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  connectDatabase,
  createMailRequestStore,
  createMessageStore,
  createNoticeStore,
  createPushDeviceStore,
  createReplyStore,
  createSlackStore,
  createWebhookStore,
  type NoticeStore,
  PostgresStore,
  provision,
} from "../postgres/index.ts";
import type { ChannelConfig, ChannelMessage, Delivery } from "./channel.ts";
import { startChannels, toChannelEndpoint } from "./index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
const store = new PostgresStore(db.app, lease.number);
const clock = { now: Date.now } as Ports["clock"];
const measured: unknown[] = [];
const ports = {
  ...{ store, catalog: new Catalog([]), clock },
  telemetry: { measure: (...of: unknown[]) => void measured.push(of) } as unknown as Ports["telemetry"],
};
const tenant = "acme";
await provision(database.ownerUrl, async (p) => {
  await p.addTenant(tenant);
  await p.addPrincipal({ tenant, id: "bot", kind: "agent" });
});

const started: (() => Promise<unknown>)[] = [];
let group = "";
let told: ChannelMessage[] = [];
let logged: unknown[] = [];
let answer: (message: ChannelMessage) => Promise<Delivery>;
beforeEach(() => {
  group = `group${started.length}${Math.random().toString(36).slice(2)}`;
  told = [];
  logged = [];
  answer = async () => ({ kind: "sent", providerId: "p" });
});
afterEach(async () => {
  for (const stop of started.splice(0).reverse()) await stop();
  await database.query("update paraph.notice set state = 'dropped', attempted_at = null");
});
afterAll(async () => {
  await lease.end();
  await db.close();
});

/** Adds people who can approve the requests of this test. */
async function addApprovers(...ids: string[]) {
  await provision(database.ownerUrl, async (p) => {
    for (const id of ids) await p.addPrincipal({ tenant, id, kind: "person", groups: [group] });
  });
  for (const id of ids)
    await database.query(`select paraph.contact_set('acme', '${id}', 'test', '${id}', 'administration')`);
}

let calls = 0;
async function ask({ capability = `a.b${calls}`, urgency = "normal" as Guard["urgency"] } = {}) {
  const call = `call_${++calls}`;
  const now = Date.now();
  const guards: Guard[] = [{ id: "g", ruling: "ask", quorum: 1, urgency, sentence: "s", group }];
  const round = { approval: `ask_${call}`, round: 1, digest: "d", expiresAt: now + 3_600_000, guards };
  await store.open({
    tenant,
    call,
    principal: { tenant, id: "bot", kind: "agent" },
    key: call,
    capability,
    version: 1,
    contractDigest: "c",
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: [],
    requirements: [],
    createdAt: now,
    state: "asking",
    nextAt: now + 3_600_000,
    events: [createRawEvent("accepted", now), createRawEvent("asked", now, round as unknown as JsonObject)],
    payloads: [{ name: "input", salt: "salt", value: "canary" }],
    ask: { id: round.approval, round: 1, digest: "d", guards, expiresAt: round.expiresAt },
  });
  return call;
}

const deny = (call: string) =>
  store.commit({
    tenant,
    call,
    epoch: 1,
    state: "closed",
    nextAt: undefined,
    outcome: { kind: "denied", code: "denied" },
    closeRound: { approval: `ask_${call}`, status: "denied" },
    events: [
      createRawEvent("round-closed", Date.now(), { round: 1, status: "denied" }),
      createRawEvent("closed", Date.now(), { outcome: "denied", code: "denied" }),
    ],
  });

/** Subscribes the channel, so that calls from now on have outbox rows. */
await db.app.query("select paraph.configure_webhooks($1)", [[toChannelEndpoint("test")]]);

function startTelling(
  config: Partial<ChannelConfig> = {},
  wrap: (store: NoticeStore) => NoticeStore = (given) => given,
) {
  const outbox = createWebhookStore(db, database.url);
  const running = startChannels({
    channels: [
      {
        name: "test",
        maxPerMinute: 1_000,
        maxPerRecipient: 20,
        secrets: [],
        faults: [],
        open: () => ({
          tell: async (message) => {
            told.push(message);
            return answer(message);
          },
          close: async () => {},
        }),
        ...config,
      },
    ],
    outbox,
    notices: wrap(createNoticeStore(db)),
    replies: createReplyStore(db),
    mailRequests: createMailRequestStore(db),
    intents: {} as never,
    requestCall: () => Promise.reject(new Error("no requests by mail")),
    undoCall: () => Promise.reject(new Error("no requests by mail")),
    previewCall: () => Promise.reject(new Error("no requests by mail")),
    messageStore: createMessageStore(db.app),
    announceChange: async () => {},
    ports: ports as unknown as Ports,
    url: () => "https://paraph.example.com",
    credential: async () => "",
    folder: "/",
    devices: createPushDeviceStore(db.app),
    slack: createSlackStore(db),
    log: (code, about) => void logged.push([code, about?.call]),
    pollMs: 10,
  });
  const stop = async () => {
    await running.stop();
    await outbox.close();
  };
  started.push(stop);
  return stop;
}

const readStates = async () =>
  Object.fromEntries(
    (
      await database.query(
        "select state || coalesce(' ' || code, '') as state, count(*)::int as count from paraph.notice where recipient like $1 and state <> 'dropped' or code not in ('replaced') and recipient like $1 group by 1",
        [`${group}%`],
      )
    ).map(({ state, count }) => [state, count]),
  );
/** Counts the requests of this test that belong to a flood, and the others. */
const countRequests = async () => {
  const text = `select case when flood then 'flood' else 'single' end as name, count(*)::int as count
                from paraph.notice where recipient like $1 and kind = 'request' group by 1`;
  const rows = await database.query(text, [`${group}%`]);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};
const kinds = () => told.map(({ content }) => content.kind);

describe("too many notices", () => {
  it("[TRUST 19] of one requester and capability become one summary, after five", async () => {
    await addApprovers(`${group}ana`);
    for (let index = 0; index < 12; index++) await ask({ capability: "flood.a" });
    startTelling();
    await eventually(async () => expect(await readStates()).toEqual({ sent: 6, coalesced: 7 }));
    expect(kinds()).toEqual([...Array(5).fill("request"), "summary"]);
    expect(told.at(-1)!.content).toMatchObject({ waiting: 7, ended: 0 });
  });

  it("[TRUST 19] of one requester and capability count together, whenever Paraph plans them", async () => {
    await addApprovers(`${group}ana`);
    startTelling();
    for (let index = 0; index < 3; index++) await ask({ capability: "flood.b" });
    await eventually(async () => expect(await readStates()).toEqual({ sent: 3 }));
    for (let index = 0; index < 9; index++) await ask({ capability: "flood.b" });
    await eventually(async () => expect(await countRequests()).toEqual({ flood: 7, single: 5 }));
    await eventually(() => expect(kinds().filter((kind) => kind === "request").length).toBe(5));
  });

  it("for one recipient become one summary, and urgent ones come alone", async () => {
    await addApprovers(`${group}ana`);
    for (let index = 0; index < 10; index++) await ask();
    const urgent = await ask({ urgency: "critical" });
    startTelling({ maxPerRecipient: 4 });
    await eventually(async () => expect(await readStates()).toEqual({ sent: 2, coalesced: 10 }));
    expect(told.map(({ content }) => content)).toMatchObject([
      { kind: "request", links: { page: `https://paraph.example.com/approvals/ask_${urgent}` } },
      { kind: "summary", waiting: 10 },
    ]);
    // Two of the four within this minute are left.
    await ask();
    await ask();
    await eventually(async () => expect(await readStates()).toEqual({ sent: 4, coalesced: 10 }));
    await ask();
    await eventually(async () => expect(await readStates()).toMatchObject({ waiting: 1 }));
    const held =
      "select next_at > now() + interval '30 s' as held from paraph.notice where state = 'waiting'";
    await eventually(async () => expect(await database.query(held)).toEqual([{ held: true }]));
    expect(told.length).toBe(4);
  });

  it("20,000 for one recipient are one message", async () => {
    const ana = `${group}ana`;
    await addApprovers(ana);
    await database.query(`
      with rounds as (
        insert into paraph.approval (tenant, call, id, round, digest, status, guards, expires_at)
        select 'acme', 'many' || n, 'many' || n, 1, 'd', 'open', '[]', now() + interval '1 h' from generate_series(1, 20000) n returning id)
      insert into paraph.notice (tenant, id, channel, kind, recipient, call, approval, seq, urgency, at, next_at)
      select 'acme', id, 'test', 'request', '${ana}', id, id, 1, 0, now(), now() from rounds`);
    startTelling();
    await eventually(async () => expect(await readStates()).toEqual({ sent: 1, coalesced: 20_000 }));
    expect(told.map(({ content }) => content)).toMatchObject([{ kind: "summary", waiting: 20_000 }]);
  });

  it("for the whole channel wait, also after another process took over", async () => {
    await addApprovers(...[1, 2, 3, 4, 5].map((n) => `${group}${n}`));
    await ask();
    const stop = startTelling({ maxPerMinute: 3 });
    await eventually(async () => expect(await readStates()).toEqual({ sent: 3, waiting: 2 }));
    await stop();
    const passes = Promise.withResolvers<void>();
    let seen = 0;
    startTelling({ maxPerMinute: 3 }, (given) => ({
      ...given,
      listDueRecipients: (...of) => {
        if (++seen === 3) passes.resolve();
        return given.listDueRecipients(...of);
      },
    }));
    await passes.promise;
    expect(told.length).toBe(3);
  });
});

describe("a notice", () => {
  it("is repeated under the same id if a process dies between sending and recording", async () => {
    await addApprovers(`${group}ana`);
    await ask();
    let died = false;
    startTelling({}, (given) => ({
      ...given,
      endAttempt: async (...of) => {
        if (!died) {
          died = true;
          throw new Error("died");
        }
        return given.endAttempt(...of);
      },
    }));
    await eventually(async () => expect(await readStates()).toEqual({ sent: 1 }));
    expect(told.length).toBe(2);
    expect(told[0]!.id).toBe(told[1]!.id);
  });

  it("is sent by one of two processes", async () => {
    await addApprovers(`${group}ana`, `${group}bo`);
    startTelling();
    startTelling();
    for (let index = 0; index < 3; index++) await ask();
    await eventually(async () => expect(await readStates()).toEqual({ sent: 6 }));
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  });

  it("is planned although another call cannot be planned", async () => {
    await addApprovers(`${group}ana`);
    const [, broken] = [await ask(), await ask(), await ask()];
    startTelling({}, (given) => ({
      ...given,
      plan: async (tenant, endpoint, channel, plans) => {
        if (plans.some(({ call }) => call === broken)) throw new Error("broken");
        return given.plan(tenant, endpoint, channel, plans);
      },
    }));
    await eventually(async () => expect(await readStates()).toEqual({ sent: 2 }));
    const failed = "select call, code from paraph.webhook_delivery where code is not null";
    await eventually(async () =>
      expect(await database.query(failed)).toEqual([{ call: broken, code: "plan-failed" }]),
    );
    // Paraph tries the broken call again after ten seconds, and then logs it again.
    expect(new Set(logged.map((line) => JSON.stringify(line)))).toEqual(
      new Set([JSON.stringify(["notice-failed", broken])]),
    );
    await database.query("update paraph.webhook_delivery set delivered = wanted, code = null");
  });

  it("does not wait for a call that another transaction is writing", async () => {
    await addApprovers(`${group}ana`);
    const [written] = [await ask(), await ask()];
    const writer = await db.app.connect();
    await writer.query("begin");
    await writer.query("select set_config('paraph.tenant', $1, true)", [tenant]);
    await writer.query("select from paraph.webhook_delivery where call = $1 for update", [written]);
    startTelling();
    await eventually(async () => expect(await readStates()).toEqual({ sent: 1 }));
    await writer.query("rollback");
    writer.release();
    await eventually(async () => expect(await readStates()).toEqual({ sent: 2 }));
  });

  it("arrives after an outage, unless the request was decided meanwhile; its outcome is then not told", async () => {
    await addApprovers(`${group}ana`);
    answer = async () => ({ kind: "failed", code: "test-down", permanent: false });
    startTelling();
    const [open, decided] = [await ask(), await ask()];
    await eventually(async () => expect(await readStates()).toEqual({ "waiting test-down": 2 }));
    await deny(decided);
    told = [];
    answer = async () => ({ kind: "sent", providerId: "p" });
    await database.query("update paraph.notice set next_at = now() where state = 'waiting'");
    await eventually(async () =>
      expect(await readStates()).toMatchObject({ sent: 1, "dropped already-decided": 1 }),
    );
    expect(told.map(({ content }) => content.links.page)).toEqual([
      `https://paraph.example.com/approvals/ask_${open}`,
    ]);
  });

  it("is given up at once if the channel refuses the recipient for good", async () => {
    await addApprovers(`${group}ana`);
    answer = async () => ({ kind: "failed", code: "smtp-550", permanent: true });
    startTelling();
    await ask();
    await eventually(async () => expect(await readStates()).toEqual({ "given-up smtp-550": 1 }));
    expect(told.length).toBe(1);
    const about = { channel: "test", kind: "request" };
    expect(measured.at(-1)).toEqual(["paraph.notices.failed", 1, { ...about, code: "smtp-550" }]);
    answer = async () => ({ kind: "sent", providerId: "p" });
    await ask();
    await eventually(async () => expect(measured.at(-1)).toEqual(["paraph.notices.sent", 1, about]));
  });

  it("[TRUST 33] is dropped if the recipient lost the right to decide before it was sent", async () => {
    await addApprovers(`${group}ana`);
    answer = async () => ({ kind: "failed", code: "test-down", permanent: false });
    startTelling();
    await ask();
    await eventually(async () => expect(await readStates()).toEqual({ "waiting test-down": 1 }));
    await database.query("delete from paraph.group_member where grp = $1", [group]);
    await database.query("update paraph.notice set next_at = now() where state = 'waiting'");
    await eventually(async () => expect(await readStates()).toEqual({ "dropped not-eligible": 1 }));
  });

  it("waits until the recipient's quiet hours end, unless it is urgent", async () => {
    await addApprovers(`${group}ana`);
    // The quiet hours began an hour ago and end in two hours, so the test does not depend on the time of day.
    const minute = Math.floor(Date.now() / 60_000) % 1_440;
    await database.query(
      "insert into paraph.notification_preference values ('acme', $1, null, $2, $3, 'UTC', 'critical', now()), ('acme', $1 || 'x', null, $2, $3, 'UTC', null, now())",
      [`${group}ana`, (minute + 1_380) % 1_440, (minute + 120) % 1_440],
    );
    startTelling();
    await ask({ urgency: "high" });
    await ask({ urgency: "critical" });
    await eventually(async () => expect(await readStates()).toEqual({ sent: 1, waiting: 1 }));
  });
});
