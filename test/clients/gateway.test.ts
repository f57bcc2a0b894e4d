// Tests the real command-line agents, configured only with Paraph's address for one MCP server. The tests use a
// complete Paraph server, a real MCP server and a model provider on loopback.
import { fileURLToPath } from "node:url";
import { mcp } from "@paraph/adapters/mcp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LettersServer, letterTools, startLettersServer } from "../support/letters-server.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";
import { claudeCodeDialect } from "./claude-code.ts";
import { codexDialect } from "./codex.ts";
import { CommandLineAgent } from "./command-line-agent.ts";
import type { AgentDialect, McpEntry } from "./dialect.ts";
import { isInstalled } from "./installed.ts";

/**
 * The time that Paraph lets an MCP request wait. It is much longer than the impatient client waits, also on a busy
 * machine, and short enough that a test soon receives `pending`.
 */
const mcpMaxWaitMs = 10_000;
const impatient = { patience: 1 };

describe.runIf(isInstalled)("the real command-line agents, through Paraph", () => {
  let letters: LettersServer;
  let testParaph: TestParaph;
  beforeAll(async () => {
    letters = await startLettersServer();
    const tools = { readLetters: { effect: "read", risk: "low" } } as const;
    testParaph = await TestParaph.start(
      {
        adapters: { letters: mcp.http(letters.url, { tools }) },
        rules: [
          {
            capability: "letters.send_letter",
            when: { "input.to": { is: "mallory" } },
            block: true,
            sentence: "Nobody writes to Mallory.",
          },
        ],
      },
      [
        { tenant: "acme", id: "owner", kind: "person" },
        { tenant: "acme", id: "ana", kind: "person" },
        { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
      ],
      {},
      undefined,
      { mcpMaxWaitMs },
    );
  });
  afterAll(async () => {
    await testParaph?.stop();
    await letters?.[Symbol.asyncDispose]();
  });

  const overHttp = (): McpEntry => ({
    kind: "http",
    url: `${testParaph.url}/mcp/letters`,
    key: testParaph.key("bot"),
  });
  const overStdio = (): McpEntry => ({
    kind: "stdio",
    command: process.execPath,
    args: ["--conditions=paraph-source", paraph, "mcp", "--server", "letters"],
    env: { PARAPH_URL: testParaph.url, PARAPH_KEY: testParaph.key("bot") },
  });
  const ways: [string, AgentDialect, () => McpEntry][] = [
    ["Claude Code over HTTP", claudeCodeDialect, overHttp],
    ["Codex over HTTP", codexDialect, overHttp],
    ["Codex over `paraph mcp`", codexDialect, overStdio],
  ];

  describe.each(ways)("%s", (way, dialect, server) => {
    /** Returns a recipient that only this test uses. */
    const someone = (name: string) => `${name}, by ${way}`;
    const sentTo = (to: string) => letters.sent.filter((one) => one === to);

    it("has the server's tools, gets a read result and a refusal, and gets a pending result on its next turn", async () => {
      const ann = someone("ann");
      await using agent = await CommandLineAgent.create(dialect, server());
      const { tools, toolResults, conversation } = await agent.turn([
        ["readLetters", { to: ann }],
        ["sendLetter", { to: "mallory" }],
        ["sendLetter", { to: ann }],
      ]);
      expect(tools).toEqual([...letterTools, "wait_for_call"]);
      const [read, refused, pending] = toolResults;
      expect(read).toContain(`a letter to ${ann}`);
      expect(refused).toMatch(/Refused by policy\..* Nobody writes to Mallory\..* Nothing was done/);
      expect(pending).toMatch(/"status":"pending".*"waitingFor":"a person must decide".*`wait_for_call`/);
      const [, call] = /"call":"(call_\w+)"/.exec(pending!)!;
      expect(letters.sent).not.toContain(ann);

      await approve(call!);
      const next = await agent.turn([["wait_for_call", { call }]], { resume: conversation });
      expect(next.toolResults).toEqual([expect.stringContaining(ann)]);
      expect(sentTo(ann)).toHaveLength(1);
      expect(letters.sent).not.toContain("mallory");
    });

    it("[P12] times out before the approval, and gets the result on its next turn, performed once", async () => {
      const ben = someone("ben");
      await using agent = await CommandLineAgent.create(dialect, server());
      const { toolResults, conversation } = await agent.turn([["sendLetter", { to: ben }]], impatient);
      expect(toolResults).toEqual([expect.stringContaining("timed out")]);
      expect(sentTo(ben)).toEqual([]);

      await approve(await question());
      const next = await agent.turn([["sendLetter", { to: ben }]], { resume: conversation });
      expect(next.toolResults).toEqual([expect.stringContaining(ben)]);
      expect(next.toolResults[0]).toContain("The call was not performed again");
      expect(sentTo(ben)).toHaveLength(1);
    });

    it("[P12] is killed while an approver decides, and the next process gets the result, performed once", async () => {
      const cyd = someone("cyd");
      await using agent = await CommandLineAgent.create(dialect, server());
      const running = await agent.begin([["sendLetter", { to: cyd }]]);
      const call = await question();
      await running.kill();
      await approve(call);
      expect(sentTo(cyd)).toHaveLength(1);

      const next = await agent.turn([["sendLetter", { to: cyd }]]);
      expect(next.toolResults).toEqual([expect.stringContaining(cyd)]);
      expect(sentTo(cyd)).toHaveLength(1);
    });
  });

  /** Waits for an open approval and returns its call. */
  async function question(): Promise<string> {
    const [asked] = await expect.poll(open).toHaveLength(1).then(open);
    return asked!.call;
  }

  /** Approves the call as a person, and waits until it has succeeded. */
  async function approve(call: string): Promise<void> {
    const { approval, digest } = (await open()).find((one) => one.call === call)!;
    const path = `/v1/approvals/${approval}/decision`;
    expect((await testParaph.request("ana", "POST", path, { decision: "approve", digest })).status).toBe(200);
    expect(await testParaph.agent("bot").wait(call, { timeoutMs: 120_000 })).toMatchObject({
      kind: "succeeded",
    });
  }

  async function open(): Promise<{ approval: string; call: string; digest: string }[]> {
    return (await testParaph.request("ana", "GET", "/v1/approvals?status=open")).body.approvals;
  }
});

const paraph = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
