import type { Json } from "@paraph/core";
import { z } from "zod";
import { toErrorResult, toToolResult } from "../tools/tool-result.ts";
import { defineBuiltinTool } from "./builtin-tool.ts";

const maxCapabilities = 20;
const dayMs = 86_400_000;

export const readOutcomesTool = defineBuiltinTool({
  name: "read_outcomes",
  description:
    "Get how your earlier calls ended, by capability: success rate, duration, cost, tokens, and why calls did not succeed. Use it to choose between ways to reach a goal.",
  input: z.strictObject({
    tool: z.string().min(1).max(128).optional().describe("Name of a tool or a capability (default: all)."),
    days: z.int().min(1).max(30).optional().describe("Length of the period in days (default: 7)."),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ tool: name, days }, { toolboxes, service, requestContext }) => {
    const { principal } = requestContext.caller;
    const box = toolboxes.findToolbox(principal, requestContext.server);
    const tool = name === undefined ? undefined : (box?.byName.get(name) ?? box?.byCapability.get(name));
    if (name !== undefined && !tool)
      return toErrorResult(
        `You have no tool \`${name}\`. Find the available tools with \`find_capabilities\`.`,
      );
    const { groups } = await service.readStatistics(principal, {
      ...{ by: "capability", principal: principal.id, limit: maxCapabilities },
      ...(tool && { capability: tool.capability }),
      ...(days !== undefined && { since: Date.now() - days * dayMs }),
    });
    const outcomes = groups.map(({ codes, ...group }) => ({
      ...group,
      codes: codes.map(({ lastAt, ...code }) => ({ ...code, lastAt: new Date(lastAt).toISOString() })),
    }));
    return toToolResult({ outcomes } as unknown as Json);
  },
});
