// Tests Paraph between agents and their MCP servers, with a complete Paraph server, real MCP servers and real clients.
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { listWaitingPins, mcp } from "@paraph/adapters/mcp";
import { roles, verifyReceipt } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "./support/eventually.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";

/** The headers and letters that this test's MCP server received. */
const seen: IncomingHttpHeaders[] = [];
const sent: string[] = [];
let description = "Send a letter";
const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: "spy", version: "1" });
    server.registerTool(
      "sendLetter",
      { description, inputSchema: z.object({ to: z.string() }) },
      ({ to }) => {
        sent.push(to);
        return { content: [{ type: "text", text: `sent to ${to}` }] };
      },
    );
    return server;
  }),
);
const spy = createServer((request, response) => {
  seen.push(request.headers);
  void handler(request as never, response);
}).listen(0, "127.0.0.1");
await new Promise((resolve) => spy.once("listening", resolve));

const everything = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const command = { command: process.execPath, args: [everything, "stdio"] };
const paraph = await TestParaph.start(
  {
    adapters: {
      letters: mcp.http(`http://127.0.0.1:${(spy.address() as AddressInfo).port}/mcp`, {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
        credential: "Bearer ${letters}",
      }),
      everything: mcp.stdio({
        ...command,
        sandbox: false,
        tools: { echo: { effect: "read", risk: "low" }, "get-tiny-image": { effect: "read", risk: "low" } },
      }),
      slow: mcp.stdio({
        ...command,
        sandbox: false,
        tools: { "trigger-long-running-operation": { effect: "write", risk: "low" } },
      }),
    },
    rules: [{ capability: "slow.trigger_long_running_operation", allow: "unattended" }],
  },
  [
    { tenant: "acme", id: "owner", kind: "person", groups: [roles.admins] },
    { tenant: "acme", id: "ana", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
  ],
  { "deployment/letters": "the-gateways-own" },
);
const open: Client[] = [];
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await paraph.stop();
  await new Promise((resolve) => spy.close(resolve));
});

async function client(path: string, name = "agent"): Promise<Client> {
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const headers = { authorization: `Bearer ${paraph.key("bot")}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(path, paraph.url), { requestInit: { headers } }),
  );
  open.push(client);
  return client;
}

it("a server's tools keep their names, and return the same answers through Paraph as directly", async () => {
  const direct = new Client({ name: "direct", version: "1" });
  await direct.connect(new StdioClientTransport(command));
  open.push(direct);
  const through = await client("/mcp/everything");
  const names = async (from: Client) => (await from.listTools()).tools.map(({ name }) => name).sort();
  const own = await names(direct);
  expect(await names(through)).toEqual(
    expect.arrayContaining(own.filter((name) => name !== "simulate-research-query")),
  );

  for (const ask of [
    { name: "echo", arguments: { message: "hello" } },
    { name: "get-tiny-image", arguments: {} },
  ])
    expect((await through.callTool(ask)).content).toEqual((await direct.callTool(ask)).content);
  const { resources } = await through.listResources();
  expect(resources).toEqual((await direct.listResources()).resources);
  const [first] = resources;
  expect((await through.readResource({ uri: first!.uri })).contents).toEqual(
    (await direct.readResource({ uri: first!.uri })).contents,
  );
  const { prompts } = await through.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(
    (await direct.listPrompts()).prompts.map(({ name }) => name).sort(),
  );
  const prompt = { name: "simple-prompt" };
  expect((await through.getPrompt(prompt)).messages).toEqual((await direct.getPrompt(prompt)).messages);
});

it("[P12] [TRUST 8] a call approved after a disconnect runs once, hides the caller's key and answers a repeated request", async () => {
  const agent = await client("/mcp/letters");
  const ask = { name: "sendLetter", arguments: { to: "ines" } };
  const controller = new AbortController();
  const lost = agent.callTool(ask, { signal: controller.signal }).catch(() => "gone");
  const asked = await firstOpen();
  controller.abort();
  expect([await lost, sent]).toEqual(["gone", []]);
  const { digest } = (await paraph.request("ana", "GET", `/v1/approvals/${asked}`)).body;
  const decided = await paraph.request("ana", "POST", `/v1/approvals/${asked}/decision`, {
    decision: "approve",
    digest,
  });
  expect(decided.status).toBe(200);
  const answer = await (await client("/mcp/letters")).callTool(ask);
  expect(answer.content).toContainEqual({ type: "text", text: "sent to ines" });
  expect(sent).toEqual(["ines"]);

  const key = paraph.key("bot");
  expect(seen.length).toBeGreaterThan(0);
  for (const headers of seen) {
    expect(headers.authorization).toBe("Bearer the-gateways-own");
    expect(JSON.stringify(headers)).not.toContain(key);
  }
});

it("progress messages of a server reach the client", async () => {
  const heard: (string | undefined)[] = [];
  const answer = await (await client("/mcp/slow")).callTool(
    { name: "trigger-long-running-operation", arguments: { duration: 6, steps: 3 } },
    { onprogress: ({ message }) => heard.push(message) },
  );
  expect(JSON.stringify(answer.content)).toContain("completed");
  expect(new Set(heard).size).toBeGreaterThan(1);
});

it("`/mcp` offers all tools under Paraph's names, except those that policy can never allow", async () => {
  const names = (await (await client("/mcp")).listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["everything_echo", "letters_send_letter", "find_capabilities"]),
  );
  // An agent sees no administrative tools.
  expect(names.filter((name) => name.startsWith("admin_"))).toEqual([]);
});

it("[TRUST 7] a second person sees and approves a change of a server's tool, and the receipt proves its digest", async () => {
  const agent = await client("/mcp/letters");
  const offered = async () => {
    // Requesting the state of the adapters makes Paraph check them.
    await paraph.request("owner", "GET", "/v1/adapters");
    return (await agent.listTools({}, { cacheMode: "bypass" })).tools.map((tool) => tool.description);
  };
  expect(await offered()).toContain("Send a letter");
  description = "Send a letter by night";
  await expect.poll(offered).not.toContain("Send a letter");
  const [waiting] = await listWaitingPins({ folder: paraph.folder, adapter: "letters" });
  const asked = await paraph.cli(
    { person: "owner" },
    "mcp",
    "pins",
    "letters",
    "--approve",
    waiting!.digest.slice(0, 12),
    "--json",
  );
  expect(asked.code).toBe(8);
  const { call } = JSON.parse(asked.stdout);
  const approval = await firstOpen();
  const page = await (await paraph.browser("acme", "ana")).open(
    `${paraph.url}/approvals/${approval}?opened=1`,
  );
  expect(page.text).toContain(" by night");
  const { digest } = (await paraph.request("ana", "GET", `/v1/approvals/${approval}`)).body;
  await paraph.request("ana", "POST", `/v1/approvals/${approval}/decision`, { decision: "approve", digest });
  await expect.poll(offered).toContain("Send a letter by night");
  // Paraph offers the tool before it closes the call that approved it.
  const receipt = await eventually(async () => {
    const { status, body } = await paraph.request("owner", "GET", `/v1/calls/${call}/receipt`);
    expect(status).toBe(200);
    return body;
  });
  const { keys } = (await paraph.request("owner", "GET", "/v1/keys")).body;
  const { story } = await verifyReceipt(receipt, keys);
  expect(story).toMatchObject({ capability: "admin.mcp_approve", principal: { id: "owner" } });
  expect(receipt.disclosures.input.value).toEqual({ adapter: "letters", digests: [waiting!.digest] });
});

/** Waits for an open approval and returns the newest one. */
async function firstOpen(): Promise<string> {
  for (;;) {
    const { approvals } = (await paraph.request("ana", "GET", "/v1/approvals?status=open")).body;
    if (approvals.length > 0) return approvals[0].approval;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
