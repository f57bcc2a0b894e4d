// Tests `paraph mcp` as clients start it: as a separate process, with the SDK's client on its pipes.
import { fileURLToPath } from "node:url";
import { Client, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sourceEnvironment } from "../../../../../test/support/servers/source-environment.ts";
import { McpTestServer } from "../../../../server/src/mcp/testing/server.ts";
import { runCli } from "../../testing/run-cli.ts";

const server = new McpTestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const main = fileURLToPath(new URL("../../main.ts", import.meta.url));

async function started(
  mode: "legacy" | { pin: string },
  more: readonly string[] = [],
  onMessage: (message: JSONRPCMessage) => void = () => {},
): Promise<Client> {
  const client = new Client({ name: "stdio", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--conditions=paraph-source", main, "mcp", ...more],
    env: { ...sourceEnvironment, PARAPH_URL: server.http.url, PARAPH_KEY: "key-bot" },
  });
  transport.onmessage = onMessage;
  await client.connect(transport);
  return client;
}

describe.each([["legacy" as const], [{ pin: "2026-07-28" }]])(
  "a client with version negotiation %j",
  (mode) => {
    it("lists and calls tools, receives progress, and gets the result of a pending call by repeating it", async () => {
      // The client itself forgets progress that it reads together with the result.
      const heard: unknown[] = [];
      const client = await started(mode, [], (message) => {
        if ("method" in message && message.method === "notifications/progress")
          heard.push(message.params?.message);
      });
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("notes_list");
      const payment = `pay_${typeof mode}`;
      const pending = await server.withShortWaits(() =>
        client.callTool(
          { name: "billing_refund", arguments: { payment, cents: 5 } },
          { onprogress: () => {} },
        ),
      );
      expect(pending.structuredContent).toMatchObject({ status: "pending" });
      expect(heard[0]).toContain("a person must decide");
      await server.decide("approve");
      const again = await client.callTool({ name: "billing_refund", arguments: { payment, cents: 5 } });
      expect(again.structuredContent).toMatchObject({ refund: "re_1", for: payment });
      expect(server.service.notes.refunded.filter((one) => one === payment)).toHaveLength(1);
      await client.close();
    });
  },
);

it("`--server` offers one adapter", async () => {
  const client = await started({ pin: "2026-07-28" }, ["--server", "billing"]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    "billing_refund",
    "wait_for_call",
  ]);
  await client.close();
});

it("a client that cancels its request gets no answer, and the call continues", async () => {
  const client = await started("legacy");
  const controller = new AbortController();
  const ask = { name: "billing_refund", arguments: { payment: "pay_back", cents: 5 } };
  const lost = client.callTool(ask, { signal: controller.signal }).catch(() => "gone");
  await server.waitForApprovals();
  controller.abort();
  expect(await lost).toBe("gone");
  await server.waitForNoWaiters();
  await server.decide("approve");
  expect((await client.callTool(ask)).structuredContent).toMatchObject({ for: "pay_back" });
  await client.close();
});

it("reports a wrong key, an unreachable server or invalid JSON to the client instead of leaving it waiting", async () => {
  // U+2028 does not end a line, so the bridge must read one message and answer it once.
  const ask = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: "a\u2028b" } });
  const run = (environment: Record<string, string>, input = `${ask}\n`) =>
    runCli(["mcp"], { folder: "/tmp", environment, input });
  const wrong = await run({ PARAPH_URL: server.http.url, PARAPH_KEY: "key-nobody" });
  expect(JSON.parse(wrong.stdout)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining("in force") },
  });
  const unavailable = await run({ PARAPH_URL: "http://127.0.0.1:9", PARAPH_KEY: "key-bot" });
  expect(JSON.parse(unavailable.stdout)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining("block its port") },
  });
  const odd = await run({ PARAPH_URL: server.http.url, PARAPH_KEY: "key-bot" }, "nonsense\n");
  expect(JSON.parse(odd.stdout)).toMatchObject({ id: null, error: { code: -32700 } });
});
