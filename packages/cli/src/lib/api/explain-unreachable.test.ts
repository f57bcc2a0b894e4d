import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { requestApi } from "../../hook/api-client.ts";
import { runCli } from "../../testing/run-cli.ts";
import { cert, key } from "../../testing/test-certificate.ts";
import { explainUnreachable } from "./explain-unreachable.ts";

const folder = await mkdtemp(join(tmpdir(), "paraph-unreachable-"));
const certFile = join(folder, "cert.pem");
await writeFile(certFile, cert);
const servers: Server[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const tls = await listen(
  createServer({ cert, key }, ({ url }, response) =>
    url === "/readyz" ? response.end('{"parts":{}}') : response.writeHead(401).end("{}"),
  ),
);
const moved = await listen(
  createHttpServer((_, response) => response.writeHead(308, { location: "https://127.0.0.1:1" }).end()),
);
const html = await listen(createHttpServer((_, response) => response.end("<html>")));
/** No system assigns this port, so no other test can listen on it. Browsers and Node do not block it. */
const closedPort = 2;
const hangsUp = await listen(createTcpServer((socket) => socket.destroy()));
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

const run = (args: readonly string[], url: string, more: Record<string, string> = {}) =>
  runCli(args, { folder, environment: { PARAPH_URL: url, PARAPH_KEY: "k", ...more } });

it.each([
  [`https://127.0.0.1:${tls}`, "its TLS certificate is not trusted", "NODE_EXTRA_CA_CERTS=FILE"],
  ["http://127.0.0.1:1", "browsers and Node block its port", "another port"],
  [`http://127.0.0.1:${closedPort}`, "the connection was refused (ECONNREFUSED)", "paraph dev"],
  ["http://paraph.invalid", "the host name was not found", "PARAPH_URL"],
  [`https://127.0.0.1:${html}`, "the TLS handshake failed", "http://"],
  [`http://127.0.0.1:${hangsUp}`, "the connection was closed without a response", "https://"],
  [`http://127.0.0.1:${moved}`, "it redirects to another address", "address that it redirects to"],
])("commands and the doctor name the cause for which %s cannot be reached", async (url, reason, advice) => {
  const calls = await run(["calls"], url);
  expect(calls).toMatchObject({ code: 1, stderr: expect.stringContaining(`reached at ${url}: ${reason}`) });
  expect(calls.stderr).toContain(advice);
  const { checks } = JSON.parse((await run(["doctor", "--json"], url)).stdout);
  expect(checks).toContainEqual({
    name: "API",
    state: "fail",
    message: expect.stringContaining(`no answer from ${url}: ${reason}`),
    advice: expect.stringContaining(advice),
  });
});

it("the doctor trusts a certificate of NODE_EXTRA_CA_CERTS, as its advice says", async () => {
  const { stdout } = await run(["doctor"], `https://127.0.0.1:${tls}`, { NODE_EXTRA_CA_CERTS: certFile });
  expect(stdout).toContain(`ready at https://127.0.0.1:${tls}`);
});

it("the doctor says that another program answers", async () => {
  const { stdout } = await run(["doctor"], `http://127.0.0.1:${html}`);
  expect(stdout).toContain("the server there is not Paraph");
});

it("the hook names the cause too", async () => {
  const asking = { method: "GET", path: "/v1/me" } as const;
  await expect(requestApi({ url: `https://127.0.0.1:${tls}`, key: "k" }, asking)).rejects.toMatchObject({
    code: "no-answer",
    message: expect.stringMatching(
      /its TLS certificate is not trusted \(.*\)\. Set NODE_EXTRA_CA_CERTS=FILE/,
    ),
  });
});

it("names a timeout", () => {
  const connect = Object.assign(new Error("x"), { code: "UND_ERR_CONNECT_TIMEOUT" });
  for (const error of [
    new DOMException("x", "TimeoutError"),
    new TypeError("fetch failed", { cause: connect }),
  ])
    expect(explainUnreachable(error).reason).toContain("the request timed out");
});
