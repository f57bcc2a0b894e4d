import type { Prompt } from "@modelcontextprotocol/client";
import { type Capability, type Duration, defineCapability, type JsonObject, jsonSchema } from "@paraph/core";
import { z } from "zod";
import { readResource } from "./names.ts";
import type { Server } from "./server.ts";
import { summaryOf } from "./tool-capability.ts";

export interface ReadingSetting {
  readonly adapter: string;
  readonly server: Server;
  readonly timeout: Duration;
}

/** Every resource of a server, by its address: they come and go, so that no contract can name them one by one. */
export function resourceCapability({ adapter, server, timeout }: ReadingSetting): Capability {
  return defineCapability({
    name: `${adapter}.${readResource}`,
    version: 1,
    summary: "Read a resource of the MCP server",
    // An address carries to the server whatever is written into it.
    effect: "read",
    risk: "medium",
    idempotency: "natural",
    timeout,
    input: z.object({ uri: z.string().min(1).max(8_000).describe("the resource's address") }),
    output: jsonSchema(listOf("contents")),
    apply: async ({ uri }, world) => {
      const { contents } = await server.read(uri, world);
      return JSON.parse(JSON.stringify({ contents }));
    },
  });
}

/** A prompt is text for a model: had with its arguments, which are all texts. */
export function promptCapability(
  { adapter, server, timeout }: ReadingSetting,
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
    summary: summaryOf(name, title, description),
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
    output: jsonSchema(listOf("messages")),
    apply: async (input, world) => {
      const { messages, description: said } = await server.prompt(
        prompt,
        input as Record<string, string>,
        world,
      );
      return JSON.parse(JSON.stringify({ messages, ...(said !== undefined && { description: said }) }));
    },
  });
}

/** The server's answer as it is. */
function listOf(name: string): JsonObject {
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
