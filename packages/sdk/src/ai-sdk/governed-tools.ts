import { dynamicTool, type Tool, type ToolExecutionOptions, type ToolSet } from "ai";
import type { Client } from "../client.ts";
import { type Execution, governed } from "../governed.ts";
import { type Answer, answerOf, waitTool } from "./answer.ts";
import { keyOf, type ToolsOptions } from "./tools.ts";
import { type Resume, waiting } from "./waiting.ts";

/** A tool of your own, and the capability whose contract says what it does: one with `performer: "agent"`. */
export interface OwnTool {
  readonly capability: string;
  readonly tool: Tool;
}

export interface GovernedTools {
  /** The tools as the model is to have them, and the one to wait with: put them after those of `tools()`. */
  readonly tools: ToolSet;
  /** For `catchUp`: what was let through meanwhile is performed. */
  readonly resume: Resume;
}

type About = ToolExecutionOptions<unknown>;

/**
 * Tools that this process performs itself, behind Paraph's policy and people: their `execute` runs once it was let through,
 * with exactly the input that was, and the receipt says that the agent performed it.
 */
export function governedTools(
  client: Client,
  own: Readonly<Record<string, OwnTool>>,
  options: Omit<ToolsOptions, "only"> = {},
): GovernedTools {
  const { waitMs = 5_000, session } = options;
  const governedBy = ({ capability, tool }: OwnTool, about: About) =>
    governed(client, { capability, execute: (input, execution) => run(tool, input, about, execution) });

  const resume: Resume = async (call, wait, about) => {
    const result = await client.wait(call, { ...wait, follow: true });
    const mine = Object.values(own).find(({ capability }) => capability === result.capability);
    const isMine = mine && result.kind === "pending" && result.awaiting.what === "agent";
    return isMine ? governedBy(mine, about).resume(call, wait) : result;
  };

  const set: Record<string, Tool> = { [waitTool]: waiting(resume) };
  for (const [name, one] of Object.entries(own)) {
    const { description, inputSchema } = one.tool;
    set[name] = dynamicTool({
      ...(description !== undefined && { description }),
      inputSchema,
      execute: async (input, about): Promise<Answer> =>
        answerOf(
          await governedBy(one, about).call(input as never, {
            waitMs,
            ...(session && { session, key: keyOf(session, about) }),
            ...(about.abortSignal && { signal: about.abortSignal }),
          }),
        ),
    });
  }
  return { tools: set, resume };
}

/** A tool may answer bit by bit: the last is its result. */
async function run(tool: Tool, input: unknown, about: About, { signal }: Execution): Promise<unknown> {
  const answer = await tool.execute?.(input, { ...about, abortSignal: signal });
  if (!isStream(answer)) return answer;
  let last: unknown;
  for await (const part of answer) last = part;
  return last;
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
