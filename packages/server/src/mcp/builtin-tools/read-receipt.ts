import type { Json } from "@paraph/core";
import { z } from "zod";
import { refusedAnswer, said } from "../answer.ts";
import { ownCall } from "../call-tool.ts";
import { noSuchCall, ownTool } from "./own-tool.ts";

export const readReceipt = ownTool({
  name: "read_receipt",
  description:
    "The signed receipt of a call that is over: its whole story, to be verified offline by anybody.",
  input: z.strictObject({ call: z.string().min(1).max(128) }),
  annotations: { readOnlyHint: true },
  run: async ({ call }, room) => {
    const found = await ownCall(call, room);
    if (!found) return noSuchCall;
    const receipt = await room.desk.receipt(room.visit.caller.principal, call);
    if (!receipt) return refusedAnswer("The call is still open: it has a receipt as soon as it is over.");
    return said(receipt as unknown as Json);
  },
});
