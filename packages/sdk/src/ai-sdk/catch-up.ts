import type { JSONValue, ModelMessage, ToolResultPart } from "ai";
import type { Client } from "../client.ts";
import { answerOf } from "./answer.ts";

/**
 * The conversation with every answer that was pending brought up to date: what people decided meanwhile is there on the
 * agent's next turn. Only the call's id is taken from the messages; what became of it is Paraph's to say, so messages
 * that came through a browser can claim nothing.
 */
export async function catchUp(client: Client, messages: readonly ModelMessage[]): Promise<ModelMessage[]> {
  return Promise.all(
    messages.map(async (message) =>
      message.role === "tool"
        ? { ...message, content: await Promise.all(message.content.map((part) => current(client, part))) }
        : message,
    ),
  );
}

type Part = Extract<ModelMessage, { role: "tool" }>["content"][number];

async function current(client: Client, part: Part): Promise<Part> {
  const call = part.type === "tool-result" ? pendingCall(part.output) : undefined;
  if (call === undefined) return part;
  const answer = answerOf(await client.wait(call, { timeoutMs: 0, follow: true }));
  return { ...(part as ToolResultPart), output: { type: "json", value: answer as JSONValue } };
}

function pendingCall(output: ToolResultPart["output"]): string | undefined {
  if (output.type !== "json" || typeof output.value !== "object" || output.value === null) return undefined;
  const { status, call } = output.value as Record<string, unknown>;
  return status === "pending" && typeof call === "string" ? call : undefined;
}
