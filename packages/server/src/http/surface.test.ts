import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { pages } from "../web/pages/index.ts";
import { serveHttp } from "./serve.ts";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

it("every /v1 operation except the list of public keys requires an API key", async () => {
  const paths = ["calls", "calls/x", "calls/x/events", "calls/x/receipt", "approvals", "approvals/x"];
  for (const path of [...paths, "capabilities", "capabilities/notes.list", "me", "principals", "nothing"]) {
    for (const authorization of [undefined, "Basic eDp5", "Bearer", "Bearer wrong", "Bearer key-bot extra"]) {
      const { status, headers, body } = await server.get(
        `/v1/${path}`,
        undefined,
        authorization === undefined ? {} : { authorization },
      );
      expect([status, body.code, headers.get("www-authenticate")]).toEqual([
        401,
        "not-authenticated",
        "Bearer",
      ]);
    }
  }
  for (const path of ["calls", "approvals/x/decision"]) {
    const response = await server.fetch(`/v1/${path}`, { method: "POST", body: "{}" });
    expect(response.status).toBe(401);
  }
  expect((await server.get("/v1/keys")).body.keys).toMatchObject([{ kty: "OKP", crv: "Ed25519" }]);
});

it("returns the caller, the available capabilities and their contracts", async () => {
  expect((await server.get("/v1/me", "bot")).body).toEqual({
    tenant: "acme",
    id: "bot",
    kind: "agent",
    owner: "ana",
    groups: [],
    how: "key",
  });
  const { body } = await server.get("/v1/capabilities", "bot");
  expect(body.capabilities.map(({ name }: { name: string }) => name)).toContain("billing.refund");
  const contract = await server.get("/v1/capabilities/billing.refund", "bot");
  expect(contract.body).toMatchObject({
    name: "billing.refund",
    sensitive: ["payment"],
    idempotency: "keyed",
    input: { type: "object", properties: { payment: { type: "string" } } },
    contractDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  for (const name of ["notes.missing", "Bad Name"]) {
    const { status, body: problem } = await server.get(`/v1/capabilities/${name}`, "bot");
    expect([status, problem.code]).toEqual([404, "capability-unknown"]);
  }
});

it("serves health and readiness; [TRUST 16] no metrics", async () => {
  expect((await server.get("/healthz")).body).toEqual({ status: "up" });
  expect((await server.get("/readyz")).body).toEqual({
    status: "ready",
    parts: { postgres: true, engine: true },
  });
  server.service.healthy.engine = false;
  const { status, body } = await server.get("/readyz");
  server.service.healthy.engine = true;
  expect([status, body.code, body.failing]).toEqual([503, "not-ready", ["engine"]]);
  expect((await server.get("/metrics")).status).toBe(404);
});

it("problems follow RFC 9457 and contain the request id", async () => {
  const { status, headers, body } = await server.get("/v1/calls/call_none", "bot");
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(body).toEqual({
    type: "https://paraph.dev/docs/errors/call-unknown",
    title: "No such call",
    status,
    detail: expect.any(String),
    instance: headers.get("x-request-id"),
    code: "call-unknown",
  });
  expect((await server.get("/nothing")).body.code).toBe("not-found");
  const wrong = await server.fetch("/healthz", { method: "DELETE" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

it("[P10] an unexpected error gives a 500 without internals, and a log line with a code", async () => {
  const { listCalls } = server.service;
  server.service.listCalls = async () => {
    throw Object.assign(new Error("password=hunter2"), { code: "EACCES" });
  };
  const { status, body } = await server.get("/v1/calls", "bot");
  server.service.listCalls = listCalls;
  expect([status, body.code]).toEqual([500, "internal"]);
  expect(JSON.stringify([body, server.lines])).not.toContain("hunter2");
  expect(server.lines.at(-1)).toEqual({
    level: "error",
    code: "internal",
    cause: "error",
    method: "GET",
    route: "/v1/calls",
    status: 500,
    ms: expect.any(Number),
    request: body.instance,
  });
});

it("[P10] the log line of a request contains its route, not its path", async () => {
  await server.get("/v1/calls/secret-looking-handle?state=secret", "bot");
  expect(server.lines.at(-1)).toMatchObject({
    level: "info",
    code: "request",
    route: "/v1/calls/:call",
    status: 404,
  });
  await server.get("/secret-path");
  expect(server.lines.at(-1)).toEqual({
    level: "info",
    code: "request",
    method: "GET",
    status: 404,
    ms: expect.any(Number),
    request: expect.any(String),
  });
});

it("an answered probe is logged only in detail, because probes repeat every few seconds", async () => {
  for (const probe of ["/healthz", "/readyz"]) {
    await server.get(probe);
    expect(server.lines.at(-1)).toMatchObject({ level: "debug", route: probe, status: 200 });
  }
});

it("[TRUST 22] every response has the security headers", async () => {
  const paths = [
    "/healthz",
    "/docs",
    "/docs.css",
    "/openapi.json",
    "/nothing",
    "/v1/keys",
    "/v1/calls",
    "/push.js",
    "/service-worker.js",
  ];
  for (const path of paths) {
    const { headers } = await server.get(path);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    if (path.startsWith("/v1")) expect(headers.get("cache-control")).toBe("no-store");
  }
});

it("[TRUST 22] a browser can post only from this server's own pages", async () => {
  const post = async (origin: string) => (await server.call("notes.list", {}, { origin })).status;
  const statuses = await Promise.all(
    ["https://evil.example", "null", "nonsense", `${server.http.url}0`].map(post),
  );
  expect(statuses).toEqual([403, 403, 403, 403]);
  expect(await post(server.http.url)).toBe(200);
});

it("[TRUST 22] a server on a loopback address serves only loopback names and its public name", async () => {
  const { port } = new URL(server.http.url);
  const code = async (host: string, url = server.http.url) => (await getAs(host, url)).code;
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "[::2]",
  ])
    expect(await code(host), host).toBe("host-not-allowed");
  for (const host of [`127.0.0.1:${port}`, "localhost", "LOCALHOST:80", "[::1]:80"])
    expect(await code(host), host).toBe("not-authenticated");
  const named = await serveHttp({
    service: server.service,
    pages,
    port: 0,
    publicUrl: "https://paraph.example.com",
    log: () => {},
  });
  onTestFinished(() => named.stop());
  expect(await code("paraph.example.com", named.url)).toBe("not-authenticated");
  expect(await code("evil.example", named.url)).toBe("host-not-allowed");
});

/** Sends the header `Host`, which `fetch` does not allow. */
async function getAs(host: string, url: string): Promise<{ code: string }> {
  const sent = request(`${url}/v1/calls`, { headers: { host } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return JSON.parse(Buffer.concat(await response.toArray()).toString());
}

it("refuses other content types, other encodings, and a body of more than 1 MiB", async () => {
  const body = JSON.stringify({ capability: "notes.list", input: {} });
  const code = async (text: string, headers: Record<string, string>) => {
    const answer = await server.post("/v1/calls", "bot", text, headers);
    return [answer.status, answer.body.code];
  };
  expect(await code(body, { "content-type": "text/plain" })).toEqual([415, "content-type-unsupported"]);
  expect(await code(body, { "content-encoding": "gzip" })).toEqual([415, "content-type-unsupported"]);
  expect(await code(body, { "content-type": "application/json; charset=utf-8" })).toEqual([200, undefined]);
  const large = JSON.stringify({ capability: "notes.list", input: "x".repeat(1024 * 1024) });
  expect(await code(large, {})).toEqual([413, "body-too-large"]);
  expect(await chunked(large)).toBe(413);
  const fits = JSON.stringify({ capability: "notes.append", input: { text: "x".repeat(1024 * 1024 - 100) } });
  expect((await code(fits, {}))[0]).toBe(202);
});

/** Sends the body without a length, so that the server must count it. */
function chunked(body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: "Bearer key-bot", "content-type": "application/json" };
    const sent = request(`${server.http.url}/v1/calls`, { method: "POST", headers }, (answer) => {
      resolve(answer.statusCode);
      answer.resume();
    });
    sent.on("error", reject);
    sent.write(body.slice(0, 1_000));
    sent.end(body.slice(1_000));
  });
}

it("listens on loopback by default", () => {
  expect(server.http.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

it("a browser at `/` is led to the approvals, and an API client gets `not-found`", async () => {
  const accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
  const page = await server.fetch("/", { headers: { accept }, redirect: "manual" });
  expect([page.status, page.headers.get("location")]).toEqual([303, "/approvals"]);
  for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }]) {
    const { status, body } = await server.get("/", undefined, headers);
    expect([status, body.code]).toEqual([404, "not-found"]);
  }
});
