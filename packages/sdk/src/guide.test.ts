import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import * as ai from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { TestServer } from "../../server/src/http/testing/server.ts";
import * as aiSdk from "./ai-sdk/index.ts";
import * as sdk from "./index.ts";

const guide = ["sdk", "ai-sdk"]
  .map((name) => readFileSync(new URL(`../../../docs/connect/${name}.md`, import.meta.url), "utf8"))
  .join("\n");
const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

/**
 * Runs an example from the guides with its imports and variables, and returns the values that it prints. `last` is code
 * that runs after the example.
 */
async function run(name: string, given: Record<string, unknown> = {}, last = ""): Promise<unknown[][]> {
  const block = new RegExp(`<!-- test: ${name} -->\n\`\`\`ts\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
  const code = stripTypeScriptTypes(block.replaceAll(/^import .*$|^export /gm, ""));
  const printed: unknown[][] = [];
  const surroundings = {
    ...sdk,
    ...aiSdk,
    ...ai,
    z,
    ...given,
    console: { log: (...line: unknown[]) => printed.push(line) },
    process: { env: { PARAPH_URL: server.http.url, PARAPH_KEY: "key-bot" } },
  };
  const example = new Function(...Object.keys(surroundings), `return (async () => {${code}\n${last}})()`);
  await example(...Object.values(surroundings));
  return printed;
}

it("the client's example succeeds after a person approves the call, and verifies the receipt", async () => {
  const running = run("client");
  const { call, approval, digest } = await open();
  const answer = await server.post(`/v1/approvals/${approval}/decision`, "bo", {
    decision: "approve",
    digest,
  });
  expect([answer.status, call]).toEqual([200, expect.any(String)]);
  expect((await running).flat()).toContain("succeeded");
});

it("the example of a governed capability posts only after a person approves the call", async () => {
  const posted: string[] = [];
  const fetch = async (_: string, { body }: { body: string }) => {
    posted.push(body);
    return new Response(null, { status: 201, headers: { location: `note-${posted.length}` } });
  };
  const running = run("governed", { fetch });
  const { approval, digest } = await open();
  expect(posted).toEqual([]);
  await server.post(`/v1/approvals/${approval}/decision`, "bo", { decision: "approve", digest });
  expect([await running, posted]).toEqual([[["note-1"]], ["Hello"]]);
});

it("the plan's example previews a plan, performs it step by step and undoes it", async () => {
  const paraph = sdk.createClient({ url: server.http.url, key: "key-bot" });
  expect(await run("plan")).toEqual([
    ["allow", 1],
    ["greet", "closed", "succeeded"],
    ["point", "closed", "succeeded"],
    ["succeeded"],
  ]);
  expect(server.service.notes.pinned.size).toBe(0);
  const read = await paraph.call("notes.list", {}, { waitMs: 60_000 });
  await expect(paraph.undo(read.call)).rejects.toMatchObject({ code: "no-undo" });
});

it.each([
  ["ai-sdk", "paraph_wait billing_refund"],
  ["governed-tools", "paraph_wait billing_refund publish"],
])("the AI SDK's example %s gives the model the expected tools", async (name, expected) => {
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
  const turn = 'console.log((await runTurn(model, conversation, "chat-81")).text);';
  expect(await run(name, { model, conversation }, turn)).toEqual([[expected]]);
});

/** Waits for the first open approval. */
async function open(): Promise<{ call: string; approval: string; digest: string }> {
  for (;;) {
    const { body } = await server.get("/v1/approvals", "bo");
    const [first] = body.approvals;
    if (first) return first;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
