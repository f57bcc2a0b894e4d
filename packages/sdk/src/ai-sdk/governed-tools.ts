import { dynamicTool, type Tool, type ToolExecutionOptions, type ToolSet } from "ai";
import type { ParaphClient } from "../client.ts";
import { type Execution, governCapability } from "../govern-capability.ts";
import { type ToolCallAnswer, toToolCallAnswer, waitToolName } from "./tool-answer.ts";
import { buildToolCallKey, type ToolsOptions } from "./tools.ts";
import { createWaitTool, type ResumeCall } from "./wait-tool.ts";

/** A tool of your own, and the capability whose contract says what it does: one with `performer: "agent"`. */
export interface GovernedTool {
  readonly capability: string;
  readonly tool: Tool;
}

export interface GovernedTools {
  /** The tools as the model is to have them, and the one to wait with: put them after those of `tools()`. */
  readonly tools: ToolSet;
  /** For `catchUp`: what was let through meanwhile is performed. */
  readonly resume: ResumeCall;
}

type ToolUseOptions = ToolExecutionOptions<unknown>;

/**
 * Tools that this process performs itself, behind Paraph's policy and people: their `execute` runs once it was let through,
 * with exactly the input that was, and the receipt says that the agent performed it.
 */
export function createGovernedTools(
  client: ParaphClient,
  own: Readonly<Record<string, GovernedTool>>,
  options: Omit<ToolsOptions, "only"> = {},
): GovernedTools {
  const { waitMs = 5_000, session } = options;
  const governedBy = ({ capability, tool }: GovernedTool, about: ToolUseOptions) =>
    governCapability(client, {
      capability,
      execute: (input, execution) => executeTool(tool, input, about, execution),
    });

  const resume: ResumeCall = async (call, wait, about) => {
    const result = await client.wait(call, { ...wait, follow: true });
    const mine = Object.values(own).find(({ capability }) => capability === result.capability);
    const isMine = mine && result.kind === "pending" && result.awaiting.what === "agent";
    return isMine ? governedBy(mine, about).resume(call, wait) : result;
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

/** A tool may answer bit by bit: the last is its result. */
async function executeTool(
  tool: Tool,
  input: unknown,
  about: ToolUseOptions,
  { signal }: Execution,
): Promise<unknown> {
  const answer = await tool.execute?.(input, { ...about, abortSignal: signal });
  if (!isStream(answer)) return answer;
  let last: unknown;
  for await (const part of answer) last = part;
  return last;
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
