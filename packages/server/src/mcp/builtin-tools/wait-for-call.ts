import { z } from "zod";
import { followCall } from "../follow-call.ts";
import { findOwnCall } from "../tools/call-tool.ts";
import { waitToolName } from "../tools/pending-result.ts";
import { callNotFound, defineBuiltinTool } from "./builtin-tool.ts";

export const waitForCallTool = defineBuiltinTool({
  name: waitToolName,
  description:
    "Get the result of a pending call. It waits for the result, and returns `pending` again if that takes longer.",
  input: z.strictObject({ call: z.string().min(1).max(128).describe("The id from the `pending` result.") }),
  annotations: { readOnlyHint: true },
  run: async ({ call }, toolContext) => {
    const found = await findOwnCall(call, toolContext);
    return found ? followCall(found, false, toolContext) : callNotFound;
  },
});
