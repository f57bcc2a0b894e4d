import type { Prompt } from "@modelcontextprotocol/client";
import { type Capability, type Duration, defineCapability, type JsonObject, jsonSchema } from "@paraph/core";
import { z } from "zod";
import type { McpServerClient } from "../connection/server-client.ts";
import { readResourceVerb } from "../definitions/verbs.ts";
import { toSummary } from "./tool-capability.ts";

export interface ReadCapabilityContext {
  readonly adapter: string;
  readonly server: McpServerClient;
  readonly timeout: Duration;
}

/** Creates the capability that reads any resource by its URI. Resources come and go, so a contract cannot list them. */
export function createResourceCapability({ adapter, server, timeout }: ReadCapabilityContext): Capability {
  return defineCapability({
    name: `${adapter}.${readResourceVerb}`,
    version: 1,
    summary: "Read a resource of the MCP server",
    // A URI carries the requester's text to the server, so the risk is medium.
    effect: "read",
    risk: "medium",
    idempotency: "natural",
    timeout,
    input: z.object({ uri: z.string().min(1).max(8_000).describe("the URI of the resource") }),
    output: jsonSchema(toListSchema("contents")),
    apply: async ({ uri }, context) => {
      const { contents } = await server.readResource(uri, context);
      return JSON.parse(JSON.stringify({ contents }));
    },
  });
}

/** Creates the capability for a prompt. A prompt returns text for a model, and all its arguments are texts. */
export function createPromptCapability(
  { adapter, server, timeout }: ReadCapabilityContext,
  verb: string,
  prompt: Prompt,
): Capability {
  const { name, title, description, arguments: given = [] } = prompt;
  const properties = given.map((each) => [
    each.name,
    { type: "string", ...(each.description !== undefined && { description: each.description }) },
  ]);
  return defineCapability({
    name: `${adapter}.${verb}`,
    version: 1,
    summary: toSummary(name, title, description),
    effect: "read",
    risk: "medium",
    idempotency: "natural",
    timeout,
    input: jsonSchema({
      type: "object",
      properties: Object.fromEntries(properties) as JsonObject,
      required: given.filter(({ required }) => required === true).map((each) => each.name),
      additionalProperties: false,
    }),
    output: jsonSchema(toListSchema("messages")),
    apply: async (input, context) => {
      const { messages, description } = await server.getPrompt(
        prompt,
        input as Record<string, string>,
        context,
      );
      return JSON.parse(JSON.stringify({ messages, ...(description !== undefined && { description }) }));
    },
  });
}

/**
 * Returns the schema of the server's answer, which Paraph passes on unchanged. `name` is the property that contains the
 * list.
 */
function toListSchema(name: string): JsonObject {
  return {
    type: "object",
    properties: {
      [name]: { type: "array", items: { type: "object", additionalProperties: true } },
      description: { type: "string" },
    },
    required: [name],
    additionalProperties: false,
  };
}
