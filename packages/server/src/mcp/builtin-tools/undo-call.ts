import { reachesInput, type Undo } from "@paraph/core";
import { z } from "zod";
import { refusedAnswer } from "../answer.ts";
import { ownCall } from "../call-tool.ts";
import { follow } from "../follow.ts";
import { noSuchCall, ownTool } from "./own-tool.ts";

export const undoCall = ownTool({
  name: "undo_call",
  description:
    "Take back what a call did, where it left a way back: a call of its own, ruled on and approved like any. Asked twice, it happens once.",
  input: z.strictObject({
    call: z.string().min(1).max(128),
    purpose: z.string().max(10_000).optional().describe("What for: shown to who decides as your words."),
  }),
  annotations: { readOnlyHint: false, idempotentHint: true },
  run: async ({ call, purpose }, room) => {
    const { visit, desk } = room;
    const found = await ownCall(call, room);
    if (!found) return noSuchCall;
    const offered = found.payloads.undo?.value as unknown as Undo | undefined;
    if (offered && !reachesInput(visit.caller, offered.capability, offered.input))
      return refusedAnswer("The key in use does not reach so far: use one with the scope for this.");
    const { principal } = visit.caller;
    const { call: back, known } = await desk.undo(found, {
      principal,
      ...(purpose !== undefined && { purpose }),
    });
    return follow(back, !known, room);
  },
});
