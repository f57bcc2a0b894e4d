import { hasInputScope, type Undo } from "@paraph/core";
import { z } from "zod";
import { followCall } from "../follow-call.ts";
import { findOwnCall } from "../tools/call-tool.ts";
import { toErrorResult } from "../tools/tool-result.ts";
import { callNotFound, defineBuiltinTool } from "./builtin-tool.ts";

export const undoCallTool = defineBuiltinTool({
  name: "undo_call",
  description:
    "Undo a call, if its capability offers an undo. The undo is a new call with its own ruling and approval. A repeated request undoes it only once.",
  input: z.strictObject({
    call: z.string().min(1).max(128),
    purpose: z
      .string()
      .max(10_000)
      .optional()
      .describe("Purpose of the undo. Approvers see it as your words."),
  }),
  annotations: { readOnlyHint: false, idempotentHint: true },
  run: async ({ call, purpose }, toolContext) => {
    const { requestContext, service } = toolContext;
    const found = await findOwnCall(call, toolContext);
    if (!found) return callNotFound;
    const offered = found.payloads.undo?.value as unknown as Undo | undefined;
    if (offered && !hasInputScope(requestContext.caller, offered.capability, offered.input))
      return toErrorResult("The API key lacks the scope for this call. Use a key that has it.");
    const { principal } = requestContext.caller;
    const { call: back, known } = await service.actions.undo(found, {
      principal,
      ...(purpose !== undefined && { purpose }),
    });
    return followCall(back, !known, toolContext);
  },
});
