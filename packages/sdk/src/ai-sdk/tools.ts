import { digest, type JsonObject, type Session } from "@paraph/core";
import { dynamicTool, jsonSchema, type Tool, type ToolExecutionOptions, type ToolSet } from "ai";
import type { CapabilityContract } from "../api-views.ts";
import type { ParaphClient } from "../client.ts";
import { type ToolCallAnswer, toToolCallAnswer, waitToolName } from "./tool-answer.ts";
import { createWaitResume, createWaitTool } from "./wait-tool.ts";

export interface ToolsOptions {
  /** Names of capabilities, `*` standing for any part: `["billing.*", "files.read"]`. All of them unless given. */
  readonly only?: readonly string[];
  /** How long a tool waits for the end of its call before it answers that it is pending; 5 s unless given. */
  readonly waitMs?: number;
  /** Your own ids for the conversation. With them a turn that is run again after a crash asks for nothing twice. */
  readonly session?: Session;
}

/** Capabilities as tools that Paraph performs: the model's process holds neither credentials nor the power to approve. */
export async function createTools(client: ParaphClient, options: ToolsOptions = {}): Promise<ToolSet> {
  const { only = ["*"] } = options;
  const all = await client.capabilities();
  // What the agent performs itself is no tool of Paraph's: `governedTools` makes one of the agent's own.
  const ours = all.filter(({ performer }) => performer === undefined);
  const wanted = ours.filter(({ name }) => only.some((pattern) => isPatternMatch(name, pattern)));
  const contracts = await Promise.all(wanted.map(({ name }) => client.capability(name)));
  const set: Record<string, Tool> = { [waitToolName]: createWaitTool(createWaitResume(client)) };
  for (const contract of contracts) {
    const name = toToolName(contract.name);
    if (name in set)
      throw new Error(
        `Two capabilities would both be the tool \`${name}\`: choose one of them with \`only\`.`,
      );
    set[name] = createTool(client, contract, options);
  }
  return set;
}

function createTool(client: ParaphClient, contract: CapabilityContract, options: ToolsOptions): Tool {
  const { waitMs = 5_000, session } = options;
  return dynamicTool({
    description: contract.summary,
    inputSchema: jsonSchema(contract.input as Parameters<typeof jsonSchema>[0]),
    execute: async (input, about): Promise<ToolCallAnswer> =>
      toToolCallAnswer(
        await client.call(contract.name, input as JsonObject, {
          waitMs,
          follow: true,
          ...(session && { session, key: buildToolCallKey(session, about) }),
          ...(about.abortSignal && { signal: about.abortSignal }),
        }),
      ),
  });
}

/**
 * [P1] The same place in the same conversation is the same call. Some models number their tool calls anew at every turn:
 * the length of the conversation keeps those apart.
 */
export function buildToolCallKey(
  { session = "", thread = "" }: Session,
  about: ToolExecutionOptions<unknown>,
): string {
  return `ai-sdk-${digest([session, thread, about.messages.length, about.toolCallId])}`;
}

/** What model APIs take for a name. */
function toToolName(capability: string): string {
  return capability.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function isPatternMatch(name: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
