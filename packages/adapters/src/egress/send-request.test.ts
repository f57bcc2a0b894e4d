import dns from "node:dns";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readFault } from "../testing.ts";
import { createEgressPolicy } from "./egress-policy.ts";
import { createHttpAgents } from "./http-agents.ts";
import { type OutgoingRequest, sendRequest } from "./send-request.ts";
import { TestHttpServer } from "./testing/http-server.ts";

const site = new TestHttpServer();
const other = new TestHttpServer();
beforeAll(async () => void (await Promise.all([site.open(), other.open()])));
afterAll(async () => void (await Promise.all([site.close(), other.close()])));
beforeEach(() => {
  for (const each of [site, other]) {
    each.requests.length = 0;
    each.respond = (_visit, response) => void response.end("hello");
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

async function send(url: string, over: Partial<OutgoingRequest> & { allow?: string[] } = {}) {
  const { allow = [site.host, other.host], ...rest } = over;
  const agents = createHttpAgents(createEgressPolicy(allow));
  try {
    return await sendRequest(agents, {
      method: "GET",
      url: new URL(url),
      headers: {},
      signal: AbortSignal.timeout(60_000),
      maxBytes: 1_000,
      ...rest,
    });
  } finally {
    await agents.close();
  }
}

describe("[TRUST 17] addresses", () => {
  it.each([
    ...["127.0.0.1", "localhost", "0x7f.1", "0177.0.0.1", "2130706433", "127.1", "127.0.0.1."],
    ...["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "0", "①②⑦.0.0.1"],
  ])("Paraph does not connect to %s unless it is allowed", async (host) => {
    const url = `http://${host}:${site.port}/`;
    expect(await readFault(send(url, { allow: [] }))).toBe("permanent address-not-allowed");
    expect(site.requests).toEqual([]);
  });

  it("Paraph refuses a name that resolves to a forbidden address when it connects, after an allowed one", async () => {
    const answers = ["93.184.216.34", "127.0.0.1"];
    const lookup = vi.spyOn(dns, "lookup") as unknown as { mockImplementation(with_: unknown): void };
    lookup.mockImplementation((_name: string, _options: object, done: (...given: unknown[]) => void) =>
      done(null, [{ address: answers.shift() ?? "127.0.0.1", family: 4 }]),
    );
    syncBuiltinESMExports();
    // The first lookup returns a public address, which an early check would see. The connection uses the address of the
    // second lookup.
    dns.lookup("rebinding.example", { all: true }, (_error, [first] = []) =>
      expect(first?.address).toBe("93.184.216.34"),
    );
    const url = `http://rebinding.example:${site.port}/`;
    expect(await readFault(send(url, { allow: [] }))).toBe("permanent address-not-allowed");
    expect(site.requests).toEqual([]);
  });

  it("Paraph connects to an allowed host by name, and ignores the proxies of the environment", async () => {
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) vi.stubEnv(name, other.origin);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    expect((await send(`http://localhost:${site.port}/a`)).status).toBe(200);
    vi.unstubAllEnvs();
    expect([site.requests.length, other.requests.length]).toEqual([1, 0]);
  });
});

describe("[TRUST 17] redirects", () => {
  const secretHeaders = { authorization: "Bearer hunter2" };
  const anywhere = () => true;
  const to = (location: string, status = 302) => {
    site.respond = ({ path }, response) =>
      void (path === "/from" ? response.writeHead(status, { location }) : response).end("there");
  };

  it("keep the credential within the origin, and drop it for another origin", async () => {
    to("/to");
    await send(`${site.origin}/from`, { secretHeaders, canFollow: anywhere });
    to(`${other.origin}/to`);
    await send(`${site.origin}/from`, { secretHeaders, canFollow: anywhere });
    expect(site.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill("Bearer hunter2"),
    );
    expect(other.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/to", undefined],
    ]);
  });

  it("are followed only to permitted URLs, and the address of each hop is checked", async () => {
    to(`${other.origin}/to`);
    const mayFollow = (url: URL) => url.origin === site.origin;
    expect(await readFault(send(`${site.origin}/from`, { canFollow: mayFollow }))).toBe(
      "permanent redirect-refused",
    );
    expect(await readFault(send(`${site.origin}/from`, { canFollow: anywhere, allow: [site.host] }))).toBe(
      "permanent address-not-allowed",
    );
    to(`http://user:password@${other.host}/to`);
    expect(await readFault(send(`${site.origin}/from`, { canFollow: anywhere }))).toBe(
      "permanent redirect-refused",
    );
    expect(other.requests).toEqual([]);
  });

  it("are followed at most five times", async () => {
    to("/from");
    expect(await readFault(send(`${site.origin}/from`, { canFollow: anywhere }))).toBe(
      "permanent too-many-redirects",
    );
    expect(site.requests).toHaveLength(6);
  });

  it("of a write are not followed", async () => {
    to("/to", 307);
    expect((await send(`${site.origin}/from`, { method: "POST", canFollow: anywhere })).status).toBe(307);
    expect(site.requests).toHaveLength(1);
  });
});

it("an endless answer is truncated at the size limit", async () => {
  site.respond = (_visit, response) => {
    const more = () =>
      void (response.writableEnded || response.destroyed || response.write("x".repeat(500), more));
    more();
  };
  const { body, cut } = await send(site.origin);
  expect([body.length, cut]).toEqual([1_000, true]);
});

it("[P8] a write gets a new connection, because a reused one may already be closed", async () => {
  const sockets: Socket[] = [];
  const server = createHttpServer((_request, response) => void response.end());
  server.on("connection", (socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const agents = createHttpAgents(createEgressPolicy([host]));
  const twice = async (method: string) => {
    const from = sockets.length;
    const outgoing = { method, url: new URL(`http://${host}`), headers: {}, maxBytes: 10 };
    for (let i = 0; i < 2; i++) {
      await sendRequest(agents, { ...outgoing, signal: AbortSignal.timeout(60_000) });
      // The connection is released one tick after its response was read.
      await setImmediate();
    }
    return sockets.length - from;
  };
  expect([await twice("GET"), await twice("POST")]).toEqual([1, 2]);
  await agents.close();
  server.close();
});

describe("[P8] the fault of a failed request", () => {
  it("is not-performed if the host is unreachable", async () => {
    const gone = await new TestHttpServer().open();
    const { origin, host } = gone;
    await gone.close();
    expect(await readFault(send(origin, { allow: [host] }))).toBe("not-performed unreachable");
  });

  it("is ambiguous if the connection is lost after the request was sent", async () => {
    site.respond = (_visit, response) => void response.socket?.destroy();
    expect(await readFault(send(site.origin, { method: "POST", body: "x" }))).toBe(
      "ambiguous connection-lost",
    );
  });

  it("is ambiguous if the request is stopped while it waits for the answer", async () => {
    const stopping = new AbortController();
    site.respond = () => stopping.abort();
    expect(await readFault(send(site.origin, { method: "POST", signal: stopping.signal }))).toBe(
      "ambiguous connection-lost",
    );
  });

  it("is ambiguous if the answer is not HTTP", async () => {
    const server = createServer((socket) => void socket.once("data", () => socket.end("SSH-2.0-x\r\n")));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const host = `127.0.0.1:${(server.address() as { port: number }).port}`;
    expect(await readFault(send(`http://${host}/`, { allow: [host] }))).toBe("ambiguous connection-lost");
    server.close();
  });
});
