// Tests acceptance story 3 with MCP clients of two eras, a complete Paraph server, and an MCP server behind it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { mcp } from "@paraph/adapters/mcp";
import { afterAll, describe, expect, it } from "vitest";
import { startLettersServer } from "../support/letters-server.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";

const letters = await startLettersServer();
const paraph = await TestParaph.start({ adapters: { letters: mcp.http(letters.url) } }, [
  { tenant: "acme", id: "owner", kind: "person" },
  { tenant: "acme", id: "ana", kind: "person" },
  { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
]);
afterAll(async () => {
  await paraph.stop();
  await letters[Symbol.asyncDispose]();
});

/** Opens a client for one turn of the agent. To servers, each client appears as a separate process. */
async function turn(era: string): Promise<Client & AsyncDisposable> {
  const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const);
  const client = new Client({ name: `agent of ${era}`, version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${paraph.key("bot")}` };
  const url = new URL("/mcp/letters", paraph.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  expect(client.getNegotiatedProtocolVersion()).toBe(era);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

describe.each(["2025-11-25", "2026-07-28"])("through MCP, with a client of %s", (era) => {
  it("story 3: Given a client that gave up, when a person approves two hours later (injected clock), then one effect, and the result is there on the agent's next turn", async () => {
    const send = { name: "sendLetter", arguments: { to: `ann of ${era}` } };
    const sent = () => letters.sent.filter((to) => to === send.arguments.to);
    {
      await using client = await turn(era);
      const gaveUp = new AbortController();
      const answer = client.callTool(send, { signal: gaveUp.signal });
      const rejected = expect(answer).rejects.toThrow();
      await expect.poll(openApprovals).toHaveLength(1);
      gaveUp.abort();
      await rejected;
    }
    const [asked] = await openApprovals();
    expect(sent()).toEqual([]);

    await paraph.clockAhead(2);
    const decision = { decision: "approve", digest: asked.digest };
    const path = `/v1/approvals/${asked.approval}/decision`;
    expect((await paraph.request("ana", "POST", path, decision)).status).toBe(200);
    await using client = await turn(era);
    const next = await client.callTool(send);
    const known = await client.callTool({ name: "wait_for_call", arguments: { call: asked.call } });
    await paraph.clockAhead(0);

    for (const answer of [next, known])
      expect(answer).toMatchObject({
        structuredContent: { sentTo: send.arguments.to },
        _meta: { "dev.paraph/call": asked.call },
      });
    expect(sent()).toHaveLength(1);
    expect((await paraph.agent("bot").receipt(asked.call)).envelope).toBeDefined();
  });
});

async function openApprovals() {
  return (await paraph.request("ana", "GET", "/v1/approvals")).body.approvals;
}
