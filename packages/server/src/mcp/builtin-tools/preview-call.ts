import { type Evaluated, hasCapabilityScope, type Json, type JsonObject } from "@paraph/core";
import { z } from "zod";
import { toErrorResult, toToolResult } from "../tools/tool-result.ts";
import { defineBuiltinTool } from "./builtin-tool.ts";

export const previewCallTool = defineBuiltinTool({
  name: "preview_call",
  description:
    "Preview the changes of a tool and the ruling of policy. It performs nothing and asks no approver.",
  input: z.strictObject({
    tool: z.string().min(1).max(128).describe("Name of a tool or a capability."),
    arguments: z.record(z.string(), z.unknown()).describe("Arguments of the tool."),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ tool: name, arguments: given }, { toolboxes, service, requestContext }) => {
    const box = toolboxes.findToolbox(requestContext.caller.principal, requestContext.server);
    const tool = box?.byName.get(name) ?? box?.byCapability.get(name);
    if (!tool || !hasCapabilityScope(requestContext.caller, tool.capability))
      return toErrorResult(
        `You have no tool \`${name}\`. Find the available tools with \`find_capabilities\`.`,
      );
    const { capability } = tool;
    const input = tool.toInput(given as JsonObject);
    const considered = await service.previewCall({
      principal: requestContext.caller.principal,
      capability,
      input,
    });
    return toToolResult(formatPreview(capability, considered));
  },
});

/** Returns the changes and the ruling of a call that was not requested. */
export function formatPreview(capability: string, considered: Evaluated): Json {
  if (considered.kind === "unpreviewed") {
    const { code, message } = considered.fault;
    return {
      capability,
      ruling: "block",
      sentence: "The preview failed, so the changes are unknown.",
      fault: { code, message },
    };
  }
  const { kind, sentence, policies } = considered.ruledCall.ruling;
  const preview = considered.kind === "ruled" ? considered.preview : undefined;
  return {
    capability,
    ruling: kind,
    sentence,
    policies,
    preview: (preview ?? null) as unknown as Json,
  };
}
