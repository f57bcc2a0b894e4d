// Tests the path of observations from an external system to the rows, on a real database. docs/guides/observations.md holds the
// rules.
import { CapabilityError, type Principal } from "@paraph/core";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import {
  connectDatabase,
  createPollStore,
  listAdapterPolls,
  listObservations,
  provision,
} from "../postgres/index.ts";
import { pollConfigSchema, startPoller, toPollSchedules } from "./index.ts";
import { pollAdapter } from "./poll.ts";
import { TestEventLog } from "./testing/event-log.ts";
import { observationLimits, validatePage } from "./validate.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());
const pollStore = createPollStore(db);

let tenants = 0;
let tenant = "";
let reader: Principal;
let outside: TestEventLog;
const logged: object[] = [];
const started: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  tenant = await createTenant();
  reader = { tenant, id: "ana", kind: "person" };
  outside = new TestEventLog();
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
  await moveClock(0);
  logged.length = 0;
});

async function createTenant(): Promise<string> {
  const id = `tenant${++tenants}`;
  await provision(database.ownerUrl, (p) => p.addTenant(id));
  return id;
}

/** Moves `paraph.now()` ahead by this many minutes. Only this clock decides. */
const moveClock = (minutes: number) =>
  database.query(
    `create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + make_interval(mins => ${minutes})'`,
  );

const createPolledAdapters = (leaseMs = 60_000) => [{ adapter: "log", tenants: [tenant], leaseMs }];
const pollSchedule = { tenants: undefined, everyMs: 60_000, keepMs: 30 * 24 * 3_600_000, patienceMs: 30_000 };
const createPollDeps = () => ({
  pollStore,
  listObservable: () => new Map([["log", { observe: outside.observe }]]),
  credential: async () => "",
  log: (code: string, about: object) => void logged.push({ code, ...about }),
});
const never = new AbortController().signal;
const times = { waitMs: 60_000, keepMs: pollSchedule.keepMs };
const context = { tenant: "x", signal: never, credential: async () => "" };
const thing = { id: "a", kind: "thing.made", subject: "s", data: {} };

async function claimPolls(leaseMs = 60_000) {
  await pollStore.begin(createPolledAdapters());
  return pollStore.claim(createPolledAdapters(leaseMs), 10);
}

/** Runs one poll as the loop does. */
async function pollOnce(): Promise<boolean> {
  const [one] = await claimPolls();
  expect(one).toBeDefined();
  return pollAdapter(one!, pollSchedule, never, createPollDeps());
}

const listSeenIds = async () =>
  (await listObservations(db.app, reader, { after: 0, limit: 100 })).observations.map(({ id }) => id);
const readPollRow = async () => (await listAdapterPolls(db.app, reader))[0];

function startTestPoller(every: "1s" | "1m" = "1s") {
  const poller = startPoller({
    ...createPollDeps(),
    watched: toPollSchedules({ log: { every, tenants: [tenant] } }),
    lookMs: 10,
  });
  started.push(poller);
  return poller;
}

describe("an observation", () => {
  it("is stored together with the cursor, and the next poll continues at that cursor", async () => {
    outside.append("thing.made", "thing.made");
    await pollOnce();
    outside.append("thing.lost");
    await moveClock(2);
    await pollOnce();
    expect(await listSeenIds()).toEqual(["e1", "e2", "e3"]);
    expect(outside.requests.map(({ cursor }) => cursor)).toEqual([undefined, "2"]);
    expect(await readPollRow()).toMatchObject({ adapter: "log", failures: 0 });
    expect((await listObservations(db.app, reader, { limit: 1 })).observations[0]).toEqual({
      seq: 3,
      adapter: "log",
      id: "e3",
      kind: "thing.lost",
      subject: "thing e3",
      at: 1_700_000_000_000,
      observedAt: expect.any(Number),
      data: { id: "e3" },
    });
  });

  it("[O1] is stored once if it is seen twice, in one poll or again from the same cursor", async () => {
    outside.append("thing.made", "thing.made");
    outside.entries.push(outside.entries[0]!);
    const [one] = await claimPolls();
    const page = validatePage({ observations: outside.entries, cursor: "" });
    await expect(pollStore.commit(one!, page, times)).resolves.toBe(2);
    await moveClock(2);
    await expect(pollOnce()).resolves.toBe(false);
    expect(await listSeenIds()).toEqual(["e1", "e2"]);
  });

  it("[O2] is discarded with its cursor if another process has claimed the poll since", async () => {
    outside.append("thing.made");
    const [slow] = await claimPolls(1_000);
    await moveClock(1);
    const [next] = await claimPolls();
    expect(next!.epoch).toBe(slow!.epoch + 1);
    const page = validatePage(await outside.observe(undefined, context));
    expect(await pollStore.commit(slow!, page, times)).toBeUndefined();
    expect(await pollStore.failed(slow!, 0, "late")).toBe(false);
    expect(await pollStore.at(slow!)).toBeUndefined();
    expect(await listSeenIds()).toEqual([]);
    expect(await pollStore.commit(next!, page, times)).toBe(1);
    // The claim ended with the first write.
    expect(await pollStore.commit(next!, page, times)).toBeUndefined();
    expect(await listSeenIds()).toEqual(["e1"]);
  });

  it("[O2] is not stored, and neither is the cursor, if the write fails halfway", async () => {
    outside.append("thing.made");
    const [one] = await claimPolls();
    const broken = [{ id: "e1", kind: "k", subject: "s", at: "not a time" as unknown as number }];
    await expect(pollStore.commit(one!, { cursor: "9", observations: broken }, times)).rejects.toThrow();
    expect(await pollStore.at(one!)).toEqual({ cursor: null, failures: 0 });
    expect(await listSeenIds()).toEqual([]);
  });

  it("[O3] comes from a poll that only one of several processes claims", async () => {
    const others = await Promise.all(Array.from({ length: 5 }, createTenant));
    const all = [{ adapter: "log", tenants: others, leaseMs: 60_000 }];
    await pollStore.begin(all);
    const claims = await Promise.all(Array.from({ length: 8 }, () => pollStore.claim(all, 2)));
    const had = claims.flat().map((one) => one.tenant);
    expect(had.toSorted()).toEqual([...new Set(had)].toSorted());
    expect((await pollStore.claim(all, 10)).length + had.length).toBe(5);
  });

  it("is stored without its data if it is too large", async () => {
    outside.entries.push({
      id: "large",
      kind: "thing.made",
      subject: "s",
      data: { text: "x".repeat(observationLimits.body) },
    });
    await pollOnce();
    const [found] = (await listObservations(db.app, reader, { limit: 10 })).observations;
    expect(found).toMatchObject({ id: "large" });
    expect(found).not.toHaveProperty("data");
  });

  it.each([
    [
      "too many",
      { observations: Array.from({ length: observationLimits.observations + 1 }, () => thing), cursor: "" },
    ],
    ["a kind that is none", { observations: [{ ...thing, kind: "No kind" }], cursor: "" }],
    ["an id that is none", { observations: [{ ...thing, id: "" }], cursor: "" }],
    ["a cursor that is too long", { observations: [], cursor: "x".repeat(observationLimits.cursor + 1) }],
    ["no list", { observations: undefined as never, cursor: "" }],
  ])("is rejected with its whole page: %s", (_, page) => {
    expect(() => validatePage(page)).toThrow(expect.objectContaining({ code: "observation-invalid" }));
  });

  it("is stored with invalid characters replaced and long texts cut, so that its content cannot stop the poll", async () => {
    const hostile = [
      { ...thing, id: "a\0b", subject: "\ud800\0", data: { text: "\ud800" } },
      { ...thing, id: "long".repeat(1_000), subject: "s".repeat(5_000), at: Number.NaN },
      { ...thing, id: "nul", data: { text: "a\0b" } },
    ];
    outside.entries.push(...hostile);
    await pollOnce();
    const { observations } = await listObservations(db.app, reader, { limit: 10 });
    expect(observations.map(({ id, subject }) => [id.length, subject.length])).toEqual([
      [3, 2],
      [64, 1_024],
      [3, 1],
    ]);
    expect(observations[0]).toMatchObject({ id: "a\ufffdb", subject: "\ufffd\ufffd" });
    expect(observations[2]?.data).toEqual({ text: "a\0b" });
  });

  it("is deleted after its retention time, and not before", async () => {
    outside.append("thing.made");
    await pollOnce();
    await moveClock(29 * 24 * 60);
    outside.append("thing.made");
    await pollOnce();
    expect(await listSeenIds()).toEqual(["e1", "e2"]);
    await moveClock(31 * 24 * 60);
    await pollOnce();
    expect(await listSeenIds()).toEqual(["e2"]);
  });
});

describe("a poll", () => {
  it("continues at once while there are more observations", async () => {
    outside.batch = 2;
    outside.append(...Array.from({ length: 9 }, () => "thing.made"));
    startTestPoller("1m");
    await eventually(async () => expect(await listSeenIds()).toHaveLength(9));
    expect(outside.requests.map(({ cursor }) => cursor)).toEqual([undefined, "2", "4", "6", "8"]);
  });

  it("repeats after its interval, for the configured tenants only", async () => {
    startTestPoller("1m");
    await eventually(() => expect(outside.requests).toHaveLength(1));
    await eventually(async () => expect(await readPollRow()).toHaveProperty("polledAt"));
    await moveClock(2);
    await eventually(() => expect(outside.requests).toHaveLength(2));
    expect(new Set(outside.requests.map((one) => one.tenant))).toEqual(new Set([tenant]));
  });

  it("that fails is retried after growing delays, [P10] and records only a code", async () => {
    outside.beforeAnswer = () => {
      throw new CapabilityError("not-performed", "mail-unavailable", "canary-message");
    };
    const wait = async () => {
      const { nextAt = 0 } = (await readPollRow()) ?? {};
      const [{ now }] = (await database.query("select paraph.now() as now")) as [{ now: Date }];
      return Math.round((nextAt - now.getTime()) / 60_000);
    };
    await pollOnce();
    expect([await wait(), (await readPollRow())?.code]).toEqual([1, "mail-unavailable"]);
    await moveClock(2);
    await pollOnce();
    expect([await wait(), (await readPollRow())?.failures]).toEqual([2, 2]);
    outside.beforeAnswer = () => {
      throw new Error("canary-message");
    };
    await moveClock(5);
    await pollOnce();
    expect([await wait(), (await readPollRow())?.code]).toEqual([4, "adapter-fault"]);
    expect(logged).toContainEqual({
      code: "poll-failed",
      tenant,
      adapter: "log",
      cause: "mail-unavailable",
    });
    expect(JSON.stringify([logged, await readPollRow()])).not.toContain("canary");
    outside.beforeAnswer = () => {};
    await moveClock(10);
    await pollOnce();
    const healed = await readPollRow();
    expect([healed?.failures, healed?.code]).toEqual([0, undefined]);
  });

  it("that times out is abandoned, and its late answer is ignored", async () => {
    let answer = () => {};
    outside.append("thing.made");
    outside.beforeAnswer = () => new Promise<void>((resolve) => (answer = resolve));
    const [one] = await claimPolls();
    await pollAdapter(one!, { ...pollSchedule, patienceMs: 20 }, never, createPollDeps());
    expect(await readPollRow()).toMatchObject({ failures: 1, code: "adapter-slow" });
    answer();
    expect(await listSeenIds()).toEqual([]);
  });

  it("[O3] of a process that died is due again when its lease expires", async () => {
    outside.append("thing.made");
    await claimPolls();
    expect(await claimPolls()).toEqual([]);
    await moveClock(2);
    await pollOnce();
    expect(await listSeenIds()).toEqual(["e1"]);
  });

  it("is aborted when the poller stops, and does not count as a failure", async () => {
    let begun = () => {};
    const looking = new Promise<void>((resolve) => (begun = resolve));
    outside.beforeAnswer = ({ signal }) => {
      begun();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    };
    const poller = startTestPoller();
    await looking;
    await poller.stop();
    expect(await readPollRow()).toMatchObject({ failures: 0 });
  });

  it("cannot be configured more often than once a second", () => {
    expect(pollConfigSchema.safeParse({ every: "1s" }).success).toBe(true);
    expect(pollConfigSchema.safeParse({ every: "100ms" }).success).toBe(false);
  });
});

describe("reading observations", () => {
  const numbers = async (filter: object) =>
    (await listObservations(db.app, reader, { limit: 10, ...filter })).observations.map(({ seq }) => seq);

  it("returns the latest ones, or filters them by number, kind, subject, adapter and time", async () => {
    outside.batch = 100;
    outside.append("thing.made", "thing.lost", "thing.made", "thing.lost");
    await pollOnce();
    expect(await numbers({ limit: 2 })).toEqual([3, 4]);
    expect(await numbers({ after: 1, limit: 2 })).toEqual([2, 3]);
    expect(await numbers({ kind: "thing.lost" })).toEqual([2, 4]);
    expect(await numbers({ subject: "thing e3" })).toEqual([3]);
    expect(await numbers({ adapter: "mail" })).toEqual([]);
    expect(await numbers({ since: Date.now() + 60_000 })).toEqual([]);
    const next = async (filter: object) =>
      (await listObservations(db.app, reader, { limit: 10, ...filter })).next;
    expect(await next({ limit: 2 })).toBe(4);
    expect(await next({ after: 0, limit: 2 })).toBe(2);
    expect(await next({ after: 0, kind: "thing.never" })).toBe(4);
    expect(await next({ after: 9 })).toBe(9);
    await database.query("delete from paraph.observation where tenant = $1 and seq > 1", [tenant]);
    expect(await next({ after: 1 })).toBe(4);
  });

  it("[O4] a reader that has read up to a number has missed none below it, despite concurrent writers", async () => {
    const adapters = ["one", "two", "three", "four"];
    const all = adapters.map((adapter) => ({ adapter, tenants: [tenant], leaseMs: 60_000 }));
    await pollStore.begin(all);
    const found: number[] = [];
    let writing = true;
    const reading = (async () => {
      for (let after = 0; ; ) {
        const last = !writing;
        const page = await listObservations(db.app, reader, { after, limit: 7 });
        found.push(...page.observations.map(({ seq }) => seq));
        if (last && page.next === after) return;
        after = page.next;
      }
    })();
    for (let turn = 0; turn < 10; turn += 1) {
      const claims = await pollStore.claim(all, 10);
      const write = (one: (typeof claims)[0]) =>
        pollStore.commit(
          one,
          {
            cursor: String(turn),
            observations: Array.from({ length: 5 }, (_, n) => ({
              id: `${turn}.${n}`,
              kind: "k",
              subject: "s",
            })),
          },
          { ...times, waitMs: 0 },
        );
      await expect(Promise.all(claims.map(write))).resolves.toEqual(claims.map(() => 5));
    }
    writing = false;
    await reading;
    expect(found).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });
});
