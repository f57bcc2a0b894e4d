import { type Call, type Json, snapshotTokens, type VisiblePayloads } from "@paraph/core";
import { z } from "zod";
import { readSessionSnapshot } from "../../services/session-snapshot.ts";
import { toToolResult } from "../tools/tool-result.ts";
import { defineBuiltinTool } from "./builtin-tool.ts";

export const readSessionTool = defineBuiltinTool({
  name: "read_session",
  description:
    "Get the state of your session: open questions, calls, plans and outcomes, newest first, older ones as counts. Use it to resume after an interruption.",
  input: z.strictObject({
    session: z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/)
      .optional()
      .describe("Id of the session (default: the session of this connection)."),
    tokens: z
      .int()
      .min(snapshotTokens.min)
      .max(snapshotTokens.max)
      .optional()
      .describe(`Maximum number of tokens (default: ${snapshotTokens.default}).`),
  }),
  annotations: { readOnlyHint: true },
  run: async ({ session, tokens = snapshotTokens.default }, { service, requestContext }) => {
    const snapshot = await readSessionSnapshot(service, {
      reader: requestContext.caller.principal,
      session: session ?? requestContext.session.session,
      tokens,
      // [TRUST 9] The tools read only the calls of their own principal, whose payloads are not masked.
      isOwnOnly: true,
      canReadObservations: false,
      showPayloads: async (call) => readPayloads(call),
    });
    return toToolResult(snapshot as unknown as Json);
  },
});

function readPayloads({ payloads }: Call): VisiblePayloads["payloads"] {
  return Object.fromEntries(Object.entries(payloads).map(([name, { value }]) => [name, value]));
}
