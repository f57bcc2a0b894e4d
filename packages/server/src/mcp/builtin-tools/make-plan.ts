import { hasInputScope, type Json, planCapability, readPlan } from "@paraph/core";
import { z } from "zod";
import { callCapability } from "../tools/call-tool.ts";
import { toErrorResult } from "../tools/tool-result.ts";
import { defineBuiltinTool, type ToolContext } from "./builtin-tool.ts";

const stepSchema = z.strictObject({
  id: z.string().min(1).max(64).describe("Names the step within the plan."),
  tool: z.string().min(1).max(128).describe("Name of a tool or a capability."),
  arguments: z
    .record(z.string(), z.unknown())
    .describe('A value from an earlier step: `{"$from": "step", "path": "/field"}`.'),
  after: z
    .array(z.string())
    .max(1_000)
    .optional()
    .describe("Steps that must come first (default: the previous step)."),
});

export const makePlanTool = defineBuiltinTool({
  name: "make_plan",
  description:
    "Request several steps as one call. Paraph previews all steps, asks for approval once, and performs the steps in order, each once. Use it instead of many calls that each wait for approval.",
  input: z.strictObject({
    title: z.string().max(200).optional(),
    onFailure: z
      .enum(["stop", "continue", "compensate"])
      .optional()
      .describe("Reaction to a failed step (default: `stop`)."),
    steps: z.array(stepSchema).min(1).max(1_000),
  }),
  annotations: { readOnlyHint: false },
  run: async ({ steps, ...plan }, toolContext) => {
    const written = steps.map(({ tool, arguments: given, ...one }) => ({
      ...one,
      ...resolveTool(tool, given, toolContext),
    }));
    const input = JSON.parse(JSON.stringify({ version: 1, ...plan, steps: written })) as Json;
    readPlan(input);
    if (!hasInputScope(toolContext.requestContext.caller, planCapability, input))
      return toErrorResult(
        "The API key lacks a scope for one of the steps. Use a key that has the scopes for all steps.",
      );
    return callCapability(planCapability, input, toolContext);
  },
});

/** Resolves the tool of a plan's step. The step names either the tool or the tool's capability. */
function resolveTool(
  name: string,
  given: Record<string, unknown>,
  { toolboxes, requestContext }: ToolContext,
) {
  const box = toolboxes.findToolbox(requestContext.caller.principal, requestContext.server);
  const tool = box?.byName.get(name) ?? box?.byCapability.get(name);
  return { capability: tool?.capability ?? name, input: tool ? tool.toInput(given as never) : given };
}
