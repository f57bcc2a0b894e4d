import type { JSONValue, ModelMessage, ToolResultPart } from "ai";
import type { ParaphClient } from "../client.ts";
import type { GovernedTools } from "./governed-tools.ts";
import { toToolCallAnswer } from "./tool-answer.ts";
import { createWaitResume, type ResumeCall } from "./wait-tool.ts";

/**
 * Returns the conversation with every pending tool result replaced by the current one, so the model sees the decisions
 * on its next turn. The function takes only the call's id from the messages and asks Paraph for the result. Messages
 * that came through a browser therefore cannot forge a result. `own` resumes calls of the tools from
 * `createGovernedTools`, and executes those that Paraph has allowed.
 */
export async function updatePendingResults(
  client: ParaphClient,
  messages: readonly ModelMessage[],
  own?: Pick<GovernedTools, "resume">,
): Promise<ModelMessage[]> {
  const resume = own?.resume ?? createWaitResume(client);
  return Promise.all(
    messages.map(async (message) =>
      message.role === "tool"
        ? { ...message, content: await Promise.all(message.content.map((part) => refreshPart(resume, part))) }
        : message,
    ),
  );
}

type ToolPart = Extract<ModelMessage, { role: "tool" }>["content"][number];

async function refreshPart(resume: ResumeCall, part: ToolPart): Promise<ToolPart> {
  const call = part.type === "tool-result" ? readPendingCall(part.output) : undefined;
  if (call === undefined) return part;
  const { toolCallId } = part as ToolResultPart;
  const answer = toToolCallAnswer(
    await resume(call, { timeoutMs: 0 }, { toolCallId, messages: [], context: {} }),
  );
  return { ...(part as ToolResultPart), output: { type: "json", value: answer as JSONValue } };
}

function readPendingCall(output: ToolResultPart["output"]): string | undefined {
  if (output.type !== "json" || typeof output.value !== "object" || output.value === null) return undefined;
  const { status, call } = output.value as Record<string, unknown>;
  return status === "pending" && typeof call === "string" ? call : undefined;
}
