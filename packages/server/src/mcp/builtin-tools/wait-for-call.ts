import { z } from "zod";
import { ownCall } from "../call-tool.ts";
import { follow } from "../follow.ts";
import { waitTool } from "../pending.ts";
import { noSuchCall, ownTool } from "./own-tool.ts";

export const waitForCall = ownTool({
  name: waitTool,
  description:
    "Get the result of a call that was pending. Answers as soon as there is one; says `pending` again where it takes longer.",
  input: z.strictObject({ call: z.string().min(1).max(128).describe("The id that came with `pending`.") }),
  annotations: { readOnlyHint: true },
  run: async ({ call }, room) => {
    const found = await ownCall(call, room);
    return found ? follow(found, false, room) : noSuchCall;
  },
});
