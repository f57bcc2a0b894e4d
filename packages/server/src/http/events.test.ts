import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const sse = { accept: "text/event-stream" };
const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

it("lists events as CloudEvents", async () => {
  const { body } = await server.call("notes.list", {});
  const { status, body: list } = await server.get(`/v1/calls/${body.call}/events`, "bot");
  expect(status).toBe(200);
  expect(list.events[0]).toEqual({
    specversion: "1.0",
    id: `${body.call}.1`,
    source: `/v1/calls/${body.call}`,
    type: "dev.paraph.call.accepted.v1",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    subject: body.call,
    datacontenttype: "application/json",
    data: expect.objectContaining({ capability: "notes.list" }),
  });
  expect(list.events.at(-1).type).toBe("dev.paraph.call.succeeded.v1");
  const rest = await server.get(`/v1/calls/${body.call}/events?after=1`, "bot");
  expect(rest.body.events).toEqual(list.events.slice(1));
  expect((await server.get(`/v1/calls/${body.call}/events?after=-1`, "bot")).status).toBe(400);
});

it("streams the events of a closed call and ends", async () => {
  const { body } = await server.call("notes.list", {});
  const { status, headers, body: text } = await server.get(`/v1/calls/${body.call}/events`, "bot", sse);
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    "text/event-stream",
    "no-store",
  ]);
  const [first] = text.split("\n\n");
  const [id, event, data] = first.split("\n");
  expect([id, event]).toEqual(["id: 1", "event: dev.paraph.call.accepted.v1"]);
  expect(JSON.parse(data.slice("data: ".length))).toMatchObject({ specversion: "1.0", id: `${body.call}.1` });
});

it("resumes after Last-Event-ID, which overrides ?after, and answers 204 after the last event", async () => {
  const { body } = await server.call("notes.list", {});
  const path = `/v1/calls/${body.call}/events`;
  const all = ids((await server.get(path, "bot", sse)).body);
  const from = async (query: string, id: string) =>
    ids((await server.get(`${path}${query}`, "bot", { ...sse, "last-event-id": id })).body);
  expect(await from("", "1")).toEqual(all.slice(1));
  expect(await from("?after=0", "2")).toEqual(all.slice(2));
  expect(await from("?after=1", "nonsense")).toEqual(all.slice(1));
  expect((await server.get(path, "bot", { ...sse, "last-event-id": String(all.length) })).status).toBe(204);
});

it("streams each event of an open call once across a reconnect, until the closing event", async () => {
  const { body } = await server.call("notes.burn", { text: "x" });
  const path = `/v1/calls/${body.call}/events`;
  const hanging = new AbortController();
  const first = await server.fetch(path, { as: "bot", headers: sse, signal: hanging.signal });
  const reader = first.body!.getReader();
  let seen = "";
  while (!seen.includes("dev.paraph.call.asked.v1"))
    seen += new TextDecoder().decode((await reader.read()).value);
  hanging.abort();
  await reader.read().catch(() => {});
  await expect.poll(() => server.service.countWaiters()).toBe(0);

  const before = ids(seen);
  const rest = server.get(path, "bot", { ...sse, "last-event-id": String(before.at(-1)) });
  const { id, digest } = body.waiting.approval;
  await server.post(`/v1/approvals/${id}/decision`, "bo", { decision: "approve", digest });
  const text = (await rest).body;
  const all = [...before, ...ids(text)];
  expect(all).toEqual(all.map((_, index) => index + 1));
  expect(text.trimEnd()).toMatch(/event: dev\.paraph\.call\.succeeded\.v1\ndata: .*$/);
});

it("[TRUST 21] a revoked key ends the streams it opened", async () => {
  const { body } = await server.call("notes.burn", { text: "x" }, {}, "other");
  const stream = server.get(`/v1/calls/${body.call}/events`, "other", sse);
  await expect.poll(() => server.service.countWaiters()).toBe(1);
  server.service.revoke("key-other");
  const { id, digest } = body.waiting.approval;
  await server.post(`/v1/approvals/${id}/decision`, "bo", { decision: "deny", digest });
  expect((await stream).body).not.toContain("denied");
});

it("[TRUST 33] a reader who loses a group gets nothing more from the streams that they opened", async () => {
  const { body } = await server.call("notes.burn", { text: "x" });
  const stream = server.get(`/v1/calls/${body.call}/events`, "audit", sse);
  await expect.poll(() => server.service.countWaiters()).toBe(1);
  const { authenticate } = server.service;
  server.service.authenticate = async (key) => {
    const caller = await authenticate(key);
    return caller && key === "key-audit"
      ? { ...caller, principal: { ...caller.principal, groups: [] } }
      : caller;
  };
  const { id, digest } = body.waiting.approval;
  await server.post(`/v1/approvals/${id}/decision`, "bo", { decision: "deny", digest });
  expect((await stream).body).not.toContain("denied");
  server.service.authenticate = authenticate;
});

it("a failed stream ends without the error message, and the server logs a line", async () => {
  const { body } = await server.call("notes.burn", { text: "x" });
  const { waitForChange } = server.service;
  server.service.waitForChange = async () => {
    throw new Error("secret-in-an-error");
  };
  const { status, body: text } = await server.get(`/v1/calls/${body.call}/events`, "bot", sse);
  server.service.waitForChange = waitForChange;
  expect([status, text.includes("secret-in-an-error")]).toEqual([200, false]);
  expect(server.lines).toContainEqual({
    level: "error",
    code: "stream-failed",
    request: expect.stringMatching(/^req_/),
  });
});

it("the stream of a tenant is ready only once it follows the tenant, so that no change is missed", async () => {
  const { followEvents } = server.service;
  async function* startSlowly() {
    yield "heartbeat" as const;
    yield "ready" as const;
    yield [{ call: "call_1", seq: 1, kind: "asked" }];
  }
  Object.assign(server.service, { followEvents: startSlowly });
  const { body } = await server.get("/v1/events", "bo", sse);
  Object.assign(server.service, { followEvents });
  expect(body.match(/still here|event: \w+/g)).toEqual(["still here", "event: ready", "event: change"]);
});
