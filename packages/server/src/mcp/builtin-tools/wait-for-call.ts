import { z } from "zod";
import { followCall } from "../follow-call.ts";
import { findOwnCall } from "../tools/call-tool.ts";
import { waitToolName } from "../tools/pending-result.ts";
import { callNotFound, defineBuiltinTool } from "./builtin-tool.ts";

export const waitForCallTool = defineBuiltinTool({
  name: waitToolName,
  description:
    "Get the result of a call that was pending. Answers as soon as there is one; says `pending` again where it takes longer.",
  input: z.strictObject({ call: z.string().min(1).max(128).describe("The id that came with `pending`.") }),
  annotations: { readOnlyHint: true },
  run: async ({ call }, toolContext) => {
    const found = await findOwnCall(call, toolContext);
    return found ? followCall(found, false, toolContext) : callNotFound;
  },
});
