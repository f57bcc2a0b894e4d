import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { Column } from "./column.ts";
import { called, eventually, type Feature, modern, pendingCall, wordsOf } from "./feature.ts";
import type { Ground } from "./ground.ts";

const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const pages = { elicitation: { url: {} } };

/** A person has to decide first. */
export const waiting: readonly Feature[] = [
  {
    name: "waiting: progress, then pending, then `wait_for_call`",
    run: async (column, ground) => {
      const client = await column.at("office");
      const heard: (string | undefined)[] = [];
      const answer = await client.callTool(letter(column, "pending"), {
        onprogress: ({ message }) => heard.push(message),
      });
      expect(answer.isError).toBeFalsy();
      expect(heard[0]).toContain("a person has to decide");
      expect(wordsOf(answer)).toContain("/approvals/");
      await ground.approve(pendingCall(answer));
      const done = await called(client, "wait_for_call", { call: pendingCall(answer) });
      expectSent(done, ground, column, "pending");
    },
  },
  {
    name: "waiting: a page to open, once",
    eras: ["2025-11-25", "2026-07-28"],
    run: async (column, ground) => {
      const client = await column.at("office", pages);
      const opened: unknown[] = [];
      if (column.isModern)
        client.setRequestHandler("elicitation/create", ({ params }) => {
          opened.push(params);
          return { action: "accept" };
        });
      else
        await client
          .callTool(letter(column, "page"))
          .catch((error: { readonly data?: unknown; code?: number }) => {
            expect(error.code).toBe(-32042);
            opened.push(...(error.data as { elicitations: unknown[] }).elicitations);
          });
      const answer = await client.callTool(letter(column, "page"));
      expect(opened).toMatchObject([{ mode: "url", url: expect.stringContaining("/approvals/") }]);
      await ground.approve(pendingCall(answer));
      expectSent(
        await called(client, "wait_for_call", { call: pendingCall(answer) }),
        ground,
        column,
        "page",
      );
    },
  },
  {
    name: "waiting: a task",
    eras: modern,
    run: async (column, ground) => {
      const wire = await column.wire("office");
      const { taskId, status } = (await wire.ask("tools/call", letter(column, "task"), tasks)).result;
      expect(status).toBe("working");
      await ground.approve(taskId);
      const task = await eventually(async () => {
        const { result } = await wire.ask("tasks/get", { taskId }, tasks);
        return result.status === "completed" && result;
      });
      expectSent(task.result, ground, column, "task");
    },
  },
  {
    name: "waiting: a prompt is an error that says where to decide; asked again, it is there",
    run: async (column, ground) => {
      const client = await column.at("spy");
      const prompt = { name: "ask", arguments: { about: column.name } };
      const error = await client.getPrompt(prompt).then(
        () => undefined,
        (thrown: Error & { readonly data: { readonly call: string } }) => thrown,
      );
      expect(error?.message).toMatch(
        /Not yet: a person has to decide, at .*\/approvals\/.* ask for the same again/,
      );
      await ground.approve(error!.data.call);
      const { messages } = await eventually(() => client.getPrompt(prompt).catch(() => undefined));
      expect(messages).toMatchObject([{ role: "user" }]);
      expect((await ground.notes()).split(`"about":"${column.name}"`)).toHaveLength(2);
    },
  },
  {
    name: "joining: asked again, it is the same call until its result was handed over",
    run: async (column, ground) => {
      const client = await column.at("office");
      const first = pendingCall(await client.callTool(letter(column, "again")));
      expect(pendingCall(await client.callTool(letter(column, "again")))).toBe(first);
      await ground.approve(first);
      expectSent(await asked(client, letter(column, "again")), ground, column, "again");
      const next = pendingCall(await client.callTool(letter(column, "again")));
      expect(next).not.toBe(first);
      await ground.approve(next);
      expect(wordsOf(await called(client, "wait_for_call", { call: next }))).toContain("sent to again");
    },
  },
  {
    name: "cancellation: the client is let go at once, the call goes on",
    run: async (column, ground) => {
      const client = await column.at("office");
      const gone = new AbortController();
      const lost = client.callTool(letter(column, "cancelled"), {
        signal: gone.signal,
        onprogress: () => gone.abort(),
      });
      await expect(lost).rejects.toThrow();
      const call = pendingCall(await client.callTool(letter(column, "cancelled")));
      await ground.approve(call);
      expectSent(await asked(client, letter(column, "cancelled")), ground, column, "cancelled");
    },
  },
  {
    name: "cancellation: a task is withdrawn",
    eras: modern,
    run: async (column, { office }) => {
      const wire = await column.wire("office");
      const { taskId } = (await wire.ask("tools/call", letter(column, "withdrawn"), tasks)).result;
      await wire.ask("tasks/cancel", { taskId }, tasks);
      expect((await wire.ask("tasks/get", { taskId }, tasks)).result.status).toBe("cancelled");
      expect(office.sent).not.toContain(recipient(column, "withdrawn"));
    },
  },
];

function recipient(column: Column, about: string): string {
  return `${about} ${column.name}`;
}

function letter(column: Column, about: string) {
  return { name: "sendLetter", arguments: { to: recipient(column, about) } };
}

/** The same again, and then its result however long it takes. */
function asked(
  client: Client,
  { name, arguments: given }: ReturnType<typeof letter>,
): Promise<CallToolResult> {
  return called(client, name, given);
}

/** It happened once, and this is what came of it. */
function expectSent(answer: CallToolResult, { office }: Ground, column: Column, about: string): void {
  const to = recipient(column, about);
  expect(wordsOf(answer)).toContain(`sent to ${to}`);
  expect(office.sent.filter((each) => each === to)).toHaveLength(1);
}
