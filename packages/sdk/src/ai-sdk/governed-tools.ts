import { dynamicTool, type Tool, type ToolExecutionOptions, type ToolSet } from "ai";
import type { ParaphClient } from "../client.ts";
import { type Execution, governCapability } from "../govern-capability.ts";
import { type ToolCallAnswer, toToolCallAnswer, waitToolName } from "./tool-answer.ts";
import { buildToolCallKey, type ToolsOptions } from "./tools.ts";
import { createWaitTool, type ResumeCall } from "./wait-tool.ts";

/**
 * A tool of your own and the capability whose contract describes it. The contract must declare `performer: "agent"`.
 */
export interface GovernedTool {
  readonly capability: string;
  readonly tool: Tool;
}

/** The result of `createGovernedTools`: tools for the model, and a function that resumes their pending calls. */
export interface GovernedTools {
  /** The tools to give to the model, including the wait tool. Spread them after those of `createTools`. */
  readonly tools: ToolSet;
  /** Resumes a pending call for `updatePendingResults`, and executes it if Paraph has allowed it in the meantime. */
  readonly resume: ResumeCall;
}

type ToolUseOptions = ToolExecutionOptions<unknown>;

/**
 * Creates tools that this process executes itself under Paraph's policy and approvals. A tool's `execute` runs only
 * after Paraph allows the call, with exactly the approved input. The receipt states that the agent performed the call.
 */
export function createGovernedTools(
  client: ParaphClient,
  own: Readonly<Record<string, GovernedTool>>,
  options: Omit<ToolsOptions, "only"> = {},
): GovernedTools {
  const { waitMs = 5_000, session } = options;
  const governedBy = ({ capability, tool }: GovernedTool, options: ToolUseOptions) =>
    governCapability(client, {
      capability,
      execute: (input, execution) => executeTool(tool, input, options, execution),
    });

  const resume: ResumeCall = async (call, wait, options) => {
    const result = await client.wait(call, { ...wait, follow: true });
    const mine = Object.values(own).find(({ capability }) => capability === result.capability);
    const isMine = mine && result.kind === "pending" && result.awaiting.what === "agent";
    return isMine ? governedBy(mine, options).resume(call, wait) : result;
  };

  const set: Record<string, Tool> = { [waitToolName]: createWaitTool(resume) };
  for (const [name, one] of Object.entries(own)) {
    const { description, inputSchema } = one.tool;
    set[name] = dynamicTool({
      ...(description !== undefined && { description }),
      inputSchema,
      execute: async (input, about): Promise<ToolCallAnswer> =>
        toToolCallAnswer(
          await governedBy(one, about).call(input as never, {
            waitMs,
            ...(session && { session, key: buildToolCallKey(session, about) }),
            ...(about.abortSignal && { signal: about.abortSignal }),
          }),
        ),
    });
  }
  return { tools: set, resume };
}

/** Runs a tool. If the tool streams its answer, the last part is the result. */
async function executeTool(
  tool: Tool,
  input: unknown,
  options: ToolUseOptions,
  { signal }: Execution,
): Promise<unknown> {
  const answer = await tool.execute?.(input, { ...options, abortSignal: signal });
  if (!isStream(answer)) return answer;
  let last: unknown;
  for await (const part of answer) last = part;
  return last;
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
