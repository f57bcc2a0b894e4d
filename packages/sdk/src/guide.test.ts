import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import * as ai from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "../../server/src/http/testing/server.ts";
import * as aiSdk from "./ai-sdk/index.ts";
import * as sdk from "./index.ts";

const guide = readFileSync(new URL("../../../docs/sdk.md", import.meta.url), "utf8");
const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

/** Runs an example of the page, its imports and surroundings given, and answers what it printed. */
async function run(name: string, given: Record<string, unknown> = {}): Promise<unknown[][]> {
  const block = new RegExp(`<!-- test: ${name} -->\n\`\`\`ts\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
  const code = stripTypeScriptTypes(block.replaceAll(/^import .*$/gm, ""));
  const printed: unknown[][] = [];
  const surroundings = {
    ...{ ...sdk, ...aiSdk, ...ai, ...given },
    console: { log: (...line: unknown[]) => printed.push(line) },
    process: { env: { PARAPH_URL: server.http.url, PARAPH_KEY: "key-bot" } },
  };
  const last = code.includes("{ text }") ? "console.log(text)" : "";
  const example = new Function(...Object.keys(surroundings), `return (async () => {${code}\n${last}})()`);
  await example(...Object.values(surroundings));
  return printed;
}

it("the client's example: pending, approved by a person, its receipt verified", async () => {
  const running = run("client");
  const { call, approval, digest } = await open();
  const answer = await server.post(`/v1/approvals/${approval}/decision`, "bo", {
    decision: "approve",
    digest,
  });
  expect([answer.status, call]).toEqual([200, expect.any(String)]);
  expect((await running).flat()).toContain("succeeded");
});

it("the AI SDK's example: the model answers with the tools that Paraph performs", async () => {
  const model = new MockLanguageModelV4({
    doGenerate: async ({ tools = [] }) => ({
      content: [{ type: "text", text: tools.map(({ name }) => name).join(" ") }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  });
  const conversation = [{ role: "user", content: "I returned the lamp." }];
  expect(await run("ai-sdk", { model, conversation })).toEqual([["paraph_wait billing_refund"]]);
});

/** The one open approval, as soon as it is there. */
async function open(): Promise<{ call: string; approval: string; digest: string }> {
  for (;;) {
    const { body } = await server.get("/v1/approvals", "bo");
    const [first] = body.approvals;
    if (first) return first;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
