import type { Tool } from "@modelcontextprotocol/server";
import type { Contract, FacadeTool, Json, JsonObject } from "@paraph/core";
import { pendingSchema } from "./pending-result.ts";
import { noteSchema } from "./tool-result.ts";

/** A capability as a client of MCP knows it. */
export interface CapabilityTool {
  readonly capability: string;
  readonly definition: Tool;
  /** Its output is what an MCP server answered. */
  readonly isMcp: boolean;
  /** The input of the capability, from the arguments of the tool. */
  readonly toInput: (given: JsonObject) => Json;
}

/** Under the name that Paraph gives it. */
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

/** With its own server's words, under the name that server gives it unless another is given. */
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

/** Arguments are always an object; an input need not be one. */
function wrapInput(input: JsonObject): JsonObject {
  return { type: "object", properties: { input }, required: ["input"], additionalProperties: false };
}

/**
 * Clients hold every answer that is no error against this, so what is pending and what has a note has to fit too. A schema that refers to parts
 * of itself cannot be put inside another one, and is left out.
 */
function toOutputSchema(output: JsonObject): Pick<Tool, "outputSchema"> {
  if (output.type !== "object" || JSON.stringify(output).includes('"$ref"')) return {};
  const { $schema: _dialect, ...plain } = output;
  return {
    outputSchema: { type: "object", anyOf: [plain, pendingSchema, noteSchema] } as Tool["outputSchema"],
  };
}
