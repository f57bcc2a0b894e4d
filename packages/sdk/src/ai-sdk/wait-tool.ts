import { dynamicTool, jsonSchema, type Tool, type ToolExecutionOptions } from "ai";
import type { CallResult } from "../call-result.ts";
import type { ParaphClient, WaitOptions } from "../client.ts";
import { type ToolCallAnswer, toToolCallAnswer } from "./tool-answer.ts";

/** Goes on with a call that was pending; `about`: the tool use that is answered by it. */
export type ResumeCall = (
  call: string,
  options: Omit<WaitOptions, "follow">,
  about: ToolExecutionOptions<unknown>,
) => Promise<CallResult>;

/** Where Paraph performs, there is nothing to do but wait. */
export function createWaitResume(client: ParaphClient): ResumeCall {
  return (call, options) => client.wait(call, { ...options, follow: true });
}

/** The result of a call that was pending: of this turn, of an earlier one, or of an agent that is gone. */
export function createWaitTool(resume: ResumeCall): Tool {
  return dynamicTool({
    description: "Wait for the result of a call that is pending.",
    inputSchema: jsonSchema({
      type: "object",
      properties: {
        call: { type: "string", description: "The `call` of the pending answer." },
        seconds: { type: "integer", minimum: 0, maximum: 60, description: "How long to wait." },
      },
      required: ["call"],
      additionalProperties: false,
    }),
    execute: async (input, about): Promise<ToolCallAnswer> => {
      const { call, seconds = 0 } = input as { call: string; seconds?: number };
      const timeoutMs = Math.min(Math.max(Number(seconds) || 0, 0), 60) * 1_000;
      const { abortSignal } = about;
      return toToolCallAnswer(
        await resume(String(call), { timeoutMs, ...(abortSignal && { signal: abortSignal }) }, about),
      );
    },
  });
}
