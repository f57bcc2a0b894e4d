// Tests how much of a process one principal can use, by intent or by mistake: calls, previews and streams.
import { defineCapability } from "@paraph/core";
import { defineConfig } from "@paraph/server";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "./support/eventually.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";

let [running, max] = [0, 0];
const gate = Promise.withResolvers<void>();
const look = defineCapability({
  name: "disk.look",
  version: 1,
  summary: "Look at the disk",
  effect: "read",
  idempotency: "natural",
  input: z.object({ path: z.string() }),
  output: z.object({}),
  apply: async () => {
    running += 1;
    max = Math.max(max, running);
    await gate.promise;
    running -= 1;
    return {};
  },
});
const pay = defineCapability({
  name: "bank.pay",
  version: 1,
  summary: "Pay",
  effect: "write",
  idempotency: "keyed",
  risk: "high",
  input: z.object({ cents: z.int() }),
  output: z.object({}),
  apply: async () => ({}),
});

const paraph = await TestParaph.start(
  defineConfig({
    capabilities: [look, pay],
    budgets: { streams: 3, totalStreams: 5, concurrentPreviews: 2, callsPerMinute: 40 },
  }),
  [
    { tenant: "acme", id: "ana", kind: "person", groups: [] },
    { tenant: "acme", id: "evil", kind: "agent", owner: "ana", groups: [] },
    { tenant: "acme", id: "good", kind: "agent", owner: "ana", groups: [] },
  ] as never,
);
afterAll(() => paraph.stop());

const call = (as: string, capability: string, input: object) =>
  paraph.request(as, "POST", "/v1/calls", { capability, input });

async function stream(as: string, path: string) {
  const leaving = new AbortController();
  const response = await fetch(paraph.url + path, {
    headers: { authorization: `Bearer ${paraph.key(as)}`, accept: "text/event-stream" },
    signal: leaving.signal,
  });
  return { status: response.status, response, leave: () => leaving.abort() };
}

it("[TRUST 25] streams over the budget get 429, other principals are served, and a closed stream frees its slot", async () => {
  const { body } = await call("evil", "bank.pay", { cents: 1 });
  const own = `/v1/calls/${body.call}/events`;
  for (let at = 0; at < 4; at += 1) {
    const headers = { authorization: `Bearer ${paraph.key("evil")}`, accept: "text/event-stream" };
    const head = await fetch(paraph.url + own, { method: "HEAD", headers });
    expect(head.status, "a HEAD request takes no slot").toBe(200);
  }
  const open = await Promise.all(Array.from({ length: 3 }, () => stream("evil", own)));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const path of [own, "/v1/observations/events"]) {
    const { response } = await stream("evil", path);
    expect([response.status, Number(response.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await response.json()).toMatchObject({
      code: "limit-reached",
      detail: expect.stringContaining("limit of 3 open streams is reached (`budgets.streams`)"),
      resetAt: expect.any(String),
    });
  }
  const { body: other } = await call("good", "bank.pay", { cents: 2 });
  const others = [await stream("good", `/v1/calls/${other.call}/events`)];
  expect(others[0]!.status).toBe(200);
  open[0]!.leave();
  await eventually(async () => {
    const again = await stream("evil", own);
    open.push(again);
    expect(again.status).toBe(200);
  });
  // A stream that ends by itself also frees its place.
  for (const each of open) each.leave();
  await paraph.request("evil", "POST", `/v1/calls/${body.call}/withdrawal`, {});
  for (let n = 0; n < 8; n += 1) {
    await eventually(async () => {
      const ended = await stream("evil", own);
      expect(ended.status).toBe(200);
      await ended.response.text();
    });
  }
  for (const each of others) each.leave();
});

it("[TRUST 25] at most two reads of one principal run at once, and all of them are answered", async () => {
  const asked = Promise.all(
    Array.from({ length: 8 }, (_, n) => call("evil", "disk.look", { path: `/${n}` })),
  );
  await eventually(() => expect(running).toBe(2));
  expect((await call("good", "bank.pay", { cents: 4 })).status).toBe(202);
  gate.resolve();
  const looks = await asked;
  expect(looks.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(max).toBe(2);
});

it("[TRUST 25] calls over the budget get 429 with a retry time, and another principal is served", async () => {
  // A new minute may start between two groups, so Paraph accepts at most twice the budget. The calls of a group run
  // concurrently, because a slow machine would otherwise not request 40 calls within a minute.
  const refused = await (async () => {
    for (let group = 0; group < 5; group += 1) {
      const placed = await Promise.all(
        Array.from({ length: 20 }, (_, n) => call("evil", "bank.pay", { cents: 10 + 20 * group + n })),
      );
      expect(placed.filter(({ status }) => ![202, 429].includes(status))).toEqual([]);
      const first = placed.find(({ status }) => status === 429);
      if (first) return first.body;
    }
  })();
  expect(refused).toMatchObject({
    code: "limit-reached",
    detail: expect.stringContaining("limit of 40 calls per minute"),
    resetAt: expect.any(String),
  });
  expect((await call("good", "bank.pay", { cents: 3 })).status).toBe(202);
});
