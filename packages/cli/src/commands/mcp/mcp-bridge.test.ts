import { afterAll, beforeAll, expect, it } from "vitest";
import { McpTestServer } from "../../../../server/src/mcp/testing/server.ts";
import { runMcpBridge } from "./mcp-bridge.ts";

const server = new McpTestServer();
beforeAll(() => server.start({ patienceMs: 60_000 }));
afterAll(() => server.stop());

const message = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const clientInfo = { name: "killed", version: "1" };
const begin = message(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
const refund = message(2, "tools/call", {
  name: "billing_refund",
  arguments: { payment: "pay_killed", cents: 5 },
});

async function run(lines: () => AsyncGenerator<string>, graceMs: number): Promise<unknown[]> {
  const said: unknown[] = [];
  await runMcpBridge(lines(), {
    url: `${server.http.url}/mcp`,
    key: "key-bot",
    signal: new AbortController().signal,
    graceMs,
    write: (one) => said.push(one),
  });
  return said;
}

it("[P12] [TRUST 19] a client that disconnects while a person decides gets the result when it repeats the request", async () => {
  const first = await run(async function* () {
    yield* [begin, refund];
    await server.waitForApprovals();
  }, 10);
  expect(first).toMatchObject([{ id: 1 }]);
  await server.waitForNoWaiters();
  await server.decide("approve");

  const second = await run(async function* () {
    yield* [begin, refund];
  }, 20_000);
  expect(second.at(-1)).toMatchObject({ id: 2, result: { structuredContent: { for: "pay_killed" } } });
  expect(server.service.notes.refunded.filter((one) => one === "pay_killed")).toHaveLength(1);
});
