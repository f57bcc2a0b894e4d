import type { Tool } from "@modelcontextprotocol/server";
import type { Contract, FacadeTool, Json, JsonObject } from "@paraph/core";
import { pendingSchema } from "./pending-result.ts";
import { noteSchema } from "./tool-result.ts";

/** A capability as an MCP client sees it. */
export interface CapabilityTool {
  readonly capability: string;
  readonly definition: Tool;
  /** Whether the output of the capability is the result of an MCP server. */
  readonly isMcp: boolean;
  /** Returns the capability's input for the tool's arguments. */
  readonly toInput: (given: JsonObject) => Json;
}

/** Creates the tool of a capability, under the name that Paraph assigns. */
export function toCapabilityTool(contract: Contract, name: string): CapabilityTool {
  const isPlain = contract.input.type === "object";
  return {
    capability: contract.name,
    isMcp: false,
    toInput: isPlain ? (given) => given : ({ input = null }) => input,
    definition: {
      name,
      description: contract.summary,
      inputSchema: (isPlain ? contract.input : wrapInput(contract.input)) as Tool["inputSchema"],
      ...toOutputSchema(contract.output),
      annotations: {
        readOnlyHint: contract.effect === "read",
        destructiveHint: contract.effect === "destroy",
        idempotentHint: contract.idempotency === "natural",
      },
    },
  };
}

/**
 * Creates the tool of an MCP server's capability with the server's own description. By default, the tool has the name
 * that the server uses.
 */
export function toFacadeTool(tool: FacadeTool, name = tool.name): CapabilityTool {
  const { capability, inputSchema, outputSchema, ...faced } = tool;
  return {
    capability,
    isMcp: true,
    toInput: (given) => given,
    definition: {
      ...faced,
      name,
      inputSchema: inputSchema as Tool["inputSchema"],
      ...(outputSchema && toOutputSchema(outputSchema)),
    } as Tool,
  };
}

/** Wraps the schema of an input that is not an object, because tool arguments are always an object. */
function wrapInput(input: JsonObject): JsonObject {
  return { type: "object", properties: { input }, required: ["input"], additionalProperties: false };
}

/**
 * Returns the output schema, which also accepts pending results and notes. Clients validate every result that is not an
 * error against this schema. If the capability's schema has internal references, it cannot be nested in another schema.
 * The tool then has no output schema.
 */
function toOutputSchema(output: JsonObject): Pick<Tool, "outputSchema"> {
  if (output.type !== "object" || JSON.stringify(output).includes('"$ref"')) return {};
  const { $schema: _dialect, ...plain } = output;
  return {
    outputSchema: { type: "object", anyOf: [plain, pendingSchema, noteSchema] } as Tool["outputSchema"],
  };
}
