import { jsonSchema, type ModelMessage, type ToolSet, tool } from "ai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "../../../server/src/http/testing/server.ts";
import { createClient } from "../index.ts";
import { createGovernedTools, createTools, updatePendingResults } from "./index.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
const bot = () => createClient({ url: server.http.url, key: "key-bot" });

/** Creates one of the agent's own tools, and records its effects. */
function own(options: Parameters<typeof createGovernedTools>[2] = { waitMs: 0 }) {
  const done: string[] = [];
  const publish = tool({
    description: "Publish a note",
    inputSchema: jsonSchema<{ text: string }>({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    }),
    async execute({ text }) {
      done.push(text);
      return { posted: text };
    },
  });
  const governed = createGovernedTools(
    bot(),
    { publish: { capability: "own.publish", tool: publish } },
    options,
  );
  return { ...governed, done };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
async function use(set: ToolSet, name: string, input: unknown): Promise<any> {
  const messages = [{ role: "user", content: "please" }] as const;
  return set[name]?.execute?.(input, { toolCallId: "call_0", messages: [...messages], context: {} });
}

async function decide(call: string, decision: string, more: object = {}): Promise<void> {
  const { body } = await server.get(`/v1/calls/${call}`, "bo");
  const { id, digest } = body.waiting.approval;
  const path = decision === "edit" ? "edit" : "decision";
  const said = decision === "edit" ? more : { decision, ...more };
  // An editor's vote does not count for their own edit.
  const by = decision === "edit" ? "ana" : "bo";
  await server.post(`/v1/approvals/${id}/${path}`, by, { digest, ...said });
}

it("[P4] a tool reports the pending approval and does not run; after the approval, paraph_wait runs it", async () => {
  const { tools, done } = own();
  const answer = await use(tools, "publish", { text: "hello" });
  expect(answer).toMatchObject({ status: "pending", awaiting: { what: "approval" } });
  expect(answer.next).toContain("Use `paraph_wait` with this call to perform it");
  expect(await use(tools, "paraph_wait", { call: answer.call })).toMatchObject({ status: "pending" });
  expect(done).toEqual([]);
  await decide(answer.call, "approve");
  expect(await use(tools, "paraph_wait", { call: answer.call, seconds: 60 })).toMatchObject({
    status: "succeeded",
    output: { posted: "hello" },
  });
  expect(done).toEqual(["hello"]);
});

it("[P4] a denied call does not run, and paraph_wait returns the denial with its reason", async () => {
  const { tools, done } = own();
  const { call } = await use(tools, "publish", { text: "no" });
  await decide(call, "deny", { reason: "No." });
  expect(await use(tools, "paraph_wait", { call })).toMatchObject({ status: "denied", reason: "No." });
  expect(done).toEqual([]);
});

it("[TRUST story 3] [P6] another process performs the edited and approved call in its next turn", async () => {
  const { call } = await use(own().tools, "publish", { text: "first" });
  const said: ModelMessage[] = [
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "t",
          toolName: "publish",
          output: { type: "json", value: { status: "pending", call } },
        },
      ],
    },
  ];
  await decide(call, "edit", { input: { text: "better" }, reason: "Nicer." });
  const { body } = await server.get(`/v1/calls/${call}`, "bo");
  await decide(body.successor, "approve");
  await bot().wait(body.successor, { timeoutMs: 60_000 });
  const later = own();
  // An agent without the tool sees the status and executes nothing.
  expect(await updatePendingResults(bot(), said)).toMatchObject([
    { content: [{ output: { value: { status: "pending" } } }] },
  ]);
  expect(await updatePendingResults(bot(), said, later)).toMatchObject([
    {
      content: [
        {
          output: {
            value: { status: "succeeded", performedInput: { text: "better" }, editedBecause: "Nicer." },
          },
        },
      ],
    },
  ]);
  expect(later.done).toEqual(["better"]);
});

it("createTools omits a capability that the agent performs itself", async () => {
  expect(Object.keys(await createTools(bot()))).not.toContain("own_publish");
});
