import type { Json } from "@paraph/core";
import { z } from "zod";
import { findOwnCall } from "../tools/call-tool.ts";
import { toErrorResult, toToolResult } from "../tools/tool-result.ts";
import { callNotFound, defineBuiltinTool } from "./builtin-tool.ts";

export const readReceiptTool = defineBuiltinTool({
  name: "read_receipt",
  description:
    "Get the signed receipt of a closed call. It records everything that happened to the call and can be verified offline.",
  input: z.strictObject({ call: z.string().min(1).max(128) }),
  annotations: { readOnlyHint: true },
  run: async ({ call }, toolContext) => {
    const found = await findOwnCall(call, toolContext);
    if (!found) return callNotFound;
    const receipt = await toolContext.service.findReceipt(toolContext.requestContext.caller.principal, call);
    if (!receipt) return toErrorResult("The call is still open. It gets a receipt when it is closed.");
    return toToolResult(receipt as unknown as Json);
  },
});
