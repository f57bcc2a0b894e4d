import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { ClientColumn } from "./client-column.ts";
import {
  callUntilDone,
  type Feature,
  modernEras,
  pollUntil,
  readAnswerText,
  readPendingCall,
} from "./feature.ts";
import type { McpFixture } from "./fixture.ts";

const taskExtension = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const pageElicitation = { elicitation: { url: {} } };

/** Tests tools whose calls need a person's approval first. */
export const waitingFeatures: readonly Feature[] = [
  {
    name: "waiting: progress, then pending, then `wait_for_call`",
    run: async (column, ground) => {
      const client = await column.connect("office");
      const heard: (string | undefined)[] = [];
      const answer = await client.callTool(buildLetter(column, "pending"), {
        onprogress: ({ message }) => heard.push(message),
      });
      expect(answer.isError).toBeFalsy();
      expect(heard[0]).toContain("a person must decide");
      expect(readAnswerText(answer)).toContain("/approvals/");
      await ground.approve(readPendingCall(answer));
      const done = await callUntilDone(client, "wait_for_call", { call: readPendingCall(answer) });
      expectSent(done, ground, column, "pending");
    },
  },
  {
    name: "waiting: a page to open, once",
    eras: ["2025-11-25", "2026-07-28"],
    run: async (column, ground) => {
      const client = await column.connect("office", pageElicitation);
      const opened: unknown[] = [];
      if (column.isModern)
        client.setRequestHandler("elicitation/create", ({ params }) => {
          opened.push(params);
          return { action: "accept" };
        });
      else
        await client
          .callTool(buildLetter(column, "page"))
          .catch((error: { readonly data?: unknown; code?: number }) => {
            expect(error.code).toBe(-32042);
            opened.push(...(error.data as { elicitations: unknown[] }).elicitations);
          });
      const answer = await client.callTool(buildLetter(column, "page"));
      expect(opened).toMatchObject([{ mode: "url", url: expect.stringContaining("/approvals/") }]);
      await ground.approve(readPendingCall(answer));
      expectSent(
        await callUntilDone(client, "wait_for_call", { call: readPendingCall(answer) }),
        ground,
        column,
        "page",
      );
    },
  },
  {
    name: "waiting: a task",
    eras: modernEras,
    run: async (column, ground) => {
      const wire = await column.wire("office");
      const { taskId, status } = (
        await wire.request("tools/call", buildLetter(column, "task"), taskExtension)
      ).result;
      expect(status).toBe("working");
      await ground.approve(taskId);
      const task = await pollUntil(async () => {
        const { result } = await wire.request("tasks/get", { taskId }, taskExtension);
        return result.status === "completed" && result;
      });
      expectSent(task.result, ground, column, "task");
    },
  },
  {
    name: "waiting: a prompt is an error that says where to decide; asked again, it is there",
    run: async (column, ground) => {
      const client = await column.connect("spy");
      const prompt = { name: "ask", arguments: { about: column.name } };
      const error = await client.getPrompt(prompt).then(
        () => undefined,
        (thrown: Error & { readonly data: { readonly call: string } }) => thrown,
      );
      expect(error?.message).toMatch(
        /Pending: a person must decide, at .*\/approvals\/.* Repeat the request/,
      );
      await ground.approve(error!.data.call);
      const { messages } = await pollUntil(() => client.getPrompt(prompt).catch(() => undefined));
      expect(messages).toMatchObject([{ role: "user" }]);
      expect((await ground.notes()).split(`"about":"${column.name}"`)).toHaveLength(2);
    },
  },
  {
    name: "joining: asked again, it is the same call until its result was handed over",
    run: async (column, ground) => {
      const client = await column.connect("office");
      const first = readPendingCall(await client.callTool(buildLetter(column, "again")));
      expect(readPendingCall(await client.callTool(buildLetter(column, "again")))).toBe(first);
      await ground.approve(first);
      expectSent(await repeatCall(client, buildLetter(column, "again")), ground, column, "again");
      const next = readPendingCall(await client.callTool(buildLetter(column, "again")));
      expect(next).not.toBe(first);
      await ground.approve(next);
      expect(readAnswerText(await callUntilDone(client, "wait_for_call", { call: next }))).toContain(
        "sent to again",
      );
    },
  },
  {
    name: "cancellation: the client is let go at once, the call goes on",
    run: async (column, ground) => {
      const client = await column.connect("office");
      const controller = new AbortController();
      const lost = client.callTool(buildLetter(column, "cancelled"), {
        signal: controller.signal,
        onprogress: () => controller.abort(),
      });
      await expect(lost).rejects.toThrow();
      const call = readPendingCall(await client.callTool(buildLetter(column, "cancelled")));
      await ground.approve(call);
      expectSent(await repeatCall(client, buildLetter(column, "cancelled")), ground, column, "cancelled");
    },
  },
  {
    name: "cancellation: a task is withdrawn",
    eras: modernEras,
    run: async (column, { office }) => {
      const wire = await column.wire("office");
      const { taskId } = (await wire.request("tools/call", buildLetter(column, "withdrawn"), taskExtension))
        .result;
      await wire.request("tasks/cancel", { taskId }, taskExtension);
      expect((await wire.request("tasks/get", { taskId }, taskExtension)).result.status).toBe("cancelled");
      expect(office.sent).not.toContain(buildRecipient(column, "withdrawn"));
    },
  },
];

function buildRecipient(column: ClientColumn, about: string): string {
  return `${about} ${column.name}`;
}

function buildLetter(column: ClientColumn, about: string) {
  return { name: "sendLetter", arguments: { to: buildRecipient(column, about) } };
}

/** Repeats the call and waits for its result. */
function repeatCall(
  client: Client,
  { name, arguments: given }: ReturnType<typeof buildLetter>,
): Promise<CallToolResult> {
  return callUntilDone(client, name, given);
}

/** Checks that the letter was sent once and that the answer is its result. */
function expectSent(
  answer: CallToolResult,
  { office }: McpFixture,
  column: ClientColumn,
  about: string,
): void {
  const to = buildRecipient(column, about);
  expect(readAnswerText(answer)).toContain(`sent to ${to}`);
  expect(office.sent.filter((each) => each === to)).toHaveLength(1);
}
