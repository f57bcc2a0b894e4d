import { edit } from "@paraph/core";
import { findFreePort } from "@paraph/dev-servers";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import type { CallView as ServedView } from "../../server/src/http/schemas/call.ts";
import { type HttpServer, serveHttp } from "../../server/src/http/serve.ts";
import { TestServer } from "../../server/src/http/testing/server.ts";
import { pages } from "../../server/src/web/pages/index.ts";
import type { ApiCall } from "./api-views.ts";
import { type CallResult, createClient, ParaphProblem, type Pending, verify } from "./index.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
const clientOf = (name: string, url = server.http.url) => createClient({ url, key: `key-${name}` });
const bot = () => clientOf("bot");

interface Refund {
  readonly payment: string;
  readonly cents: number;
}
const refund: Refund = { payment: "pay_1", cents: 1250 };

async function pending(): Promise<Pending> {
  const result = await bot().call("billing.refund", { ...refund });
  if (result.kind !== "pending") throw new Error(`it is ${result.kind}`);
  return result;
}

/** Decides the open approval of this call as a person. */
async function decide(call: string, decision: string, reason?: string, as = "bo"): Promise<void> {
  const { body } = await server.get(`/v1/calls/${call}`, "bo");
  const { id, digest } = body.waiting.approval;
  const answer = await server.post(`/v1/approvals/${id}/decision`, as, { decision, digest, reason });
  expect(answer.status).toBe(200);
}

/**
 * Serves the same service on a new socket, as a deployment does. A restart needs the port again, so the port must not be
 * one that the system assigns to others.
 */
function serveAt(port: number): Promise<HttpServer> {
  return serveHttp({
    service: server.service,
    pages,
    port,
    log: () => {},
    runInSpan: (_name, _trace, _about, body) => body(),
  });
}

it("the type `ApiCall` matches the call that the server returns", () => {
  expectTypeOf<keyof ApiCall>().toExtend<keyof ServedView>();
  type Awaited<View extends { waiting?: unknown }> = keyof NonNullable<View["waiting"]>;
  expectTypeOf<Awaited<ApiCall>>().toEqualTypeOf<Awaited<ServedView>>();
  type Reason<View extends { waiting?: { for: string } | undefined }> = NonNullable<View["waiting"]>["for"];
  expectTypeOf<Reason<ApiCall>>().toEqualTypeOf<Reason<ServedView>>();
});

describe("call", () => {
  it("[P1] a repeated key with the same input is one call, and with another input it fails with `key-reused`", async () => {
    const once = await bot().call("notes.append", { text: "one" }, { key: "once", waitMs: 60_000 });
    const again = await bot().call("notes.append", { text: "one" }, { key: "once", waitMs: 60_000 });
    expect([once.kind, again.call]).toEqual(["succeeded", once.call]);
    expect(server.service.notes.written.filter((text) => text === "one")).toHaveLength(1);
    const other = bot().call("notes.append", { text: "two" }, { key: "once" });
    await expect(other).rejects.toMatchObject({ name: "ParaphProblem", code: "key-reused", status: 409 });
  });

  it("returns a read immediately, with the output type that the caller gave", async () => {
    const result = await bot().call<{ notes: string[] }>("notes.list", {});
    if (result.kind !== "succeeded") throw new Error(result.kind);
    expectTypeOf(result.output.notes).toEqualTypeOf<string[]>();
    expect(result.output.notes).toBeInstanceOf(Array);
  });

  it("returns a refusal and a failure as results, and throws if the request is not a valid call", async () => {
    expect(await bot().call("notes.forbidden", { text: "x" })).toMatchObject({ kind: "refused" });
    expect(await bot().call("notes.break", { text: "x" }, { waitMs: 60_000 })).toMatchObject({
      kind: "failed",
      code: "broken",
    });
    const wrong = await bot()
      .call("billing.refund", { cents: -1 })
      .catch((error) => error);
    expect(wrong).toBeInstanceOf(ParaphProblem);
    expect(wrong).toMatchObject({
      code: "input-invalid",
      status: 422,
      instance: expect.stringMatching(/^req_/),
    });
    await expect(clientOf("nobody").capabilities()).rejects.toMatchObject({ code: "not-authenticated" });
  });

  it("[P12] a pending result names what it awaits, from whom, until when, and the page for the decision", async () => {
    const { awaiting } = await pending();
    expect(awaiting).toMatchObject({
      what: "approval",
      from: [{ why: "What is of high risk needs a person.", people: 1 }],
      until: expect.stringMatching(/^\d{4}-/),
      page: expect.stringMatching(new RegExp(`^${server.http.url}/approvals/`)),
    });
    const page = await fetch(awaiting.page!, { redirect: "manual" });
    expect(page.status).toBeLessThan(404);
  });

  it("[P1] resends a request whose answer was lost, and the call happens once", async () => {
    let lost = 0;
    const client = createClient({
      url: server.http.url,
      key: "key-bot",
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (lost++ > 0) return response;
        await response.arrayBuffer();
        throw new TypeError("socket hang up");
      },
    });
    const result = await client.call("notes.append", { text: "lost answer" }, { waitMs: 60_000 });
    expect(result.kind).toBe("succeeded");
    expect(server.service.notes.written.filter((text) => text === "lost answer")).toHaveLength(1);
    expect(lost).toBe(2);
  });
});

describe("wait", () => {
  it("[P12] returns the outcome of the call, which another client gets by the call id alone", async () => {
    const { call } = await pending();
    const waiting = bot().wait(call, { timeoutMs: 60_000 });
    await decide(call, "approve");
    expect(await waiting).toMatchObject({ kind: "succeeded", output: { refund: "re_1" } });
    expect(await bot().getCall(call)).toMatchObject({ kind: "succeeded" });
  });

  it("returns pending at its timeout, and rejects with the signal's reason when it is aborted", async () => {
    const { call } = await pending();
    expect(await bot().wait(call, { timeoutMs: 50 })).toMatchObject({ kind: "pending", call });
    const controller = new AbortController();
    const waiting = bot().wait(call, { signal: controller.signal });
    controller.abort(new Error("gone home"));
    await expect(waiting).rejects.toThrow("gone home");
  });

  it("[TRUST mastra 19301] outlives a restart of the server", async () => {
    const first = await serveAt(await findFreePort());
    const client = clientOf("bot", first.url);
    const { call } = await client.call("billing.refund", { ...refund });
    const waiting = client.wait(call, { timeoutMs: 60_000 });
    await first.stop();
    await decide(call, "approve");
    const second = await serveAt(Number(new URL(first.url).port));
    expect(await waiting).toMatchObject({ kind: "succeeded", call });
    await second.stop();
  });

  it("returns the reason of a denied call, and the instructions of a returned one", async () => {
    const [one, two] = [await pending(), await pending()];
    await decide(one.call, "deny", "Not today.");
    await decide(two.call, "return", "Refund only half.");
    const denied = await bot().wait(one.call);
    expect(denied).toMatchObject({ kind: "denied", reason: "Not today." });
    expect(denied).not.toHaveProperty("instructions");
    expect(await bot().wait(two.call)).toMatchObject({ kind: "denied", instructions: "Refund only half." });
  });

  it("rejects another principal's call with `call-unknown`", async () => {
    const { call } = await pending();
    await expect(clientOf("other").wait(call)).rejects.toMatchObject({ code: "call-unknown", status: 404 });
  });
});

async function edited(key: string = crypto.randomUUID()) {
  const { call } = await bot().call("billing.refund", { ...refund }, { key });
  const { approval } = (await server.service.store.load({ tenant: "acme", call }))!;
  const editor = { tenant: "acme", id: "bo", kind: "person" } as const;
  const input = { payment: "pay_1", cents: 625 };
  const { id, digest } = approval!;
  await edit({ approval: id, digest, editor, input, reason: "Half is enough." }, server.service.ports);
  return call;
}

describe("[P6] [TRUST langchain 33787] an edited call", () => {
  it("names its successor, its editor and the reason", async () => {
    const result = await bot().wait(await edited());
    expect(result).toMatchObject({ kind: "superseded", editedBy: "bo", reason: "Half is enough." });
    expect((result as Extract<CallResult, { kind: "superseded" }>).successor).toMatch(/^call_/);
  });

  it("is followed on request, and the result contains the input that was performed", async () => {
    const call = await edited();
    const next = await bot().wait(call, { follow: true, timeoutMs: 100 });
    expect(next).toMatchObject({ kind: "pending", input: { cents: 625 } });
    const waiting = bot().wait(call, { follow: true, timeoutMs: 60_000 });
    await decide(next.call, "approve", undefined, "audit");
    expect(await waiting).toMatchObject({
      kind: "succeeded",
      input: { payment: "pay_1", cents: 625 },
      instead: { of: call, editedBy: "bo", reason: "Half is enough." },
    });
  });
});

it("[P1] [P6] a repeated request under the same key follows an edited call without waiting", async () => {
  const call = await edited("edited");
  const again = await bot().call("billing.refund", { ...refund }, { key: "edited", follow: true });
  expect(again).toMatchObject({ kind: "pending", input: { cents: 625 }, instead: { of: call } });
});

describe("withdraw", () => {
  it("[P4] cancels a call before it acts, and fails with `call-closed` afterwards", async () => {
    const { call } = await pending();
    expect(await bot().withdraw(call, "Not needed any more.")).toMatchObject({ kind: "cancelled", call });
    await expect(bot().withdraw(call)).rejects.toMatchObject({ code: "call-closed", status: 409 });
  });
});

describe("events", () => {
  it("arrive as they happen until the last one, each once, although the server restarts meanwhile", async () => {
    const first = await serveAt(await findFreePort());
    const client = clientOf("bot", first.url);
    const { call } = await client.call("billing.refund", { ...refund });
    const types: string[] = [];
    const ids = new Set<string>();
    let second: HttpServer | undefined;
    for await (const event of client.events(call)) {
      types.push(event.type);
      ids.add(event.id);
      if (event.type !== "dev.paraph.call.asked.v1") continue;
      await first.stop();
      await decide(call, "approve");
      second = await serveAt(Number(new URL(first.url).port));
    }
    await second?.stop();
    expect(types.at(0)).toBe("dev.paraph.call.accepted.v1");
    expect(types.at(-1)).toBe("dev.paraph.call.succeeded.v1");
    expect(ids.size).toBe(types.length);
  });
});

describe("receipt", () => {
  it("verifies with the server's key, but not without that key or with a forged output", async () => {
    const { call } = await bot().call("notes.append", { text: "proof" }, { waitMs: 60_000 });
    const receipt = await bot().receipt(call);
    const { story, disclosed } = await verify(receipt, await bot().keys());
    expect([story.call, disclosed]).toEqual([call, expect.arrayContaining(["input", "output"])]);
    await expect(verify(receipt, [])).rejects.toMatchObject({ code: "receipt-invalid" });
    const forged = { ...receipt, disclosures: { ...receipt.disclosures, output: { salt: "s", value: 1 } } };
    await expect(verify(forged, await bot().keys())).rejects.toMatchObject({ code: "receipt-invalid" });
  });
});

it("`capabilities` lists the available capabilities, and `capability` returns a contract with its input", async () => {
  const names = (await bot().capabilities()).map(({ name }) => name);
  expect(names).toContain("billing.refund");
  expect(await bot().capability("billing.refund")).toMatchObject({
    effect: "write",
    input: { type: "object", properties: { cents: {} } },
  });
});
