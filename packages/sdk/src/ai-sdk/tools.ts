import { digest, type JsonObject, type Session } from "@paraph/core";
import { dynamicTool, jsonSchema, type Tool, type ToolExecutionOptions, type ToolSet } from "ai";
import type { CapabilityContract } from "../api-views.ts";
import type { ParaphClient } from "../client.ts";
import { type ToolCallAnswer, toToolCallAnswer, waitToolName } from "./tool-answer.ts";
import { createWaitResume, createWaitTool } from "./wait-tool.ts";

/** The options of `createTools`. */
export interface ToolsOptions {
  /**
   * The names of the capabilities to include, for example `["billing.*", "files.read"]` (default: all). `*` matches any
   * part of a name.
   */
  readonly only?: readonly string[];
  /** The time for which a tool waits for its call to close before it answers `pending` (default: 5 s). */
  readonly waitMs?: number;
  /** Your own ids for the conversation. With them, a turn that runs again after a crash requests no call twice. */
  readonly session?: Session;
}

/**
 * Creates tools for capabilities that Paraph performs. The model's process holds no credentials and cannot approve
 * calls.
 */
export async function createTools(client: ParaphClient, options: ToolsOptions = {}): Promise<ToolSet> {
  const { only = ["*"] } = options;
  const all = await client.capabilities();
  // Paraph does not perform capabilities that have a `performer`. `createGovernedTools` creates tools for them.
  const ours = all.filter(({ performer }) => performer === undefined);
  const wanted = ours.filter(({ name }) => only.some((pattern) => isPatternMatch(name, pattern)));
  const contracts = await Promise.all(wanted.map(({ name }) => client.capability(name)));
  const set: Record<string, Tool> = { [waitToolName]: createWaitTool(createWaitResume(client)) };
  for (const contract of contracts) {
    const name = toToolName(contract.name);
    if (name in set)
      throw new Error(
        `Two capabilities would have the tool name \`${name}\`. Select one of them with \`only\`.`,
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
 * [P1] Builds the idempotency key from the position in the conversation, so that the same position gives the same call.
 * Some models restart the numbering of their tool calls at every turn. The key therefore includes the length of the
 * conversation.
 */
export function buildToolCallKey(
  { session = "", thread = "" }: Session,
  options: ToolExecutionOptions<unknown>,
): string {
  return `ai-sdk-${digest([session, thread, options.messages.length, options.toolCallId])}`;
}

/** Replaces the characters that model APIs reject in a tool name. */
function toToolName(capability: string): string {
  return capability.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function isPatternMatch(name: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
