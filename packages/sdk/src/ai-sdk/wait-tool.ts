import { dynamicTool, jsonSchema, type Tool, type ToolExecutionOptions } from "ai";
import type { CallResult } from "../call-result.ts";
import type { ParaphClient, WaitOptions } from "../client.ts";
import { type ToolCallAnswer, toToolCallAnswer } from "./tool-answer.ts";

/** Resumes a pending call. `about` describes the tool use that the result answers. */
export type ResumeCall = (
  call: string,
  options: Omit<WaitOptions, "follow">,
  toolExecutionOptions: ToolExecutionOptions<unknown>,
) => Promise<CallResult>;

/** Creates a `ResumeCall` for calls that Paraph performs. It only waits for the result and executes nothing. */
export function createWaitResume(client: ParaphClient): ResumeCall {
  return (call, options) => client.wait(call, { ...options, follow: true });
}

/** Creates the tool that returns the result of a pending call, whichever turn or agent process requested it. */
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
