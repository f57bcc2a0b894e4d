import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Call, type CallState, type JsonObject, lastHeadline } from "@paraph/core";

/** The name of the tool that waits for a call. */
export const waitToolName = "wait_for_call";

/**
 * The schema of a pending result, which a tool may return instead of its output. A pending result is not an error and
 * needs no retry.
 */
export const pendingSchema: JsonObject = {
  type: "object",
  properties: {
    status: { const: "pending" },
    call: { type: "string" },
    headline: { type: "string" },
    waitingFor: { type: "string" },
    page: { type: "string" },
    next: { type: "string" },
  },
  required: ["status", "call", "waitingFor", "next"],
};

/** Returns a pending result, which tells the client how to fetch the final result later. */
export function toPendingResult(call: Call, url: string, wait: string): CallToolResult {
  const page = findApprovalUrl(call, url);
  const next = `Do not repeat the call. It continues without you. Call \`${wait}\` with \`{"call":"${call.call}"}\` to get its result.`;
  const waitingFor = waitReasons[call.state];
  const headline = lastHeadline(call);
  const what = headline === undefined ? "" : ` (${headline})`;
  const where = page === undefined ? "" : ` A person can decide here: ${page}.`;
  return {
    content: [{ type: "text", text: `Pending${what}: ${waitingFor}.${where} ${next}` }],
    structuredContent: {
      status: "pending",
      call: call.call,
      ...(headline !== undefined && { headline }),
      waitingFor,
      next,
      ...(page !== undefined && { page }),
    },
    _meta: { "dev.paraph/call": call.call },
  };
}

/** Returns the approval page of a call that waits for approvers. */
export function findApprovalUrl({ state, approval }: Call, url: string): string | undefined {
  return state === "asking" && approval ? `${url}/approvals/${approval.id}` : undefined;
}

/** For each state of a call, a phrase that states what the call waits for. */
export const waitReasons: Record<CallState, string> = {
  previewing: "Paraph is preparing the preview",
  checking: "Paraph is running the checks that policy demands",
  asking: "a person must decide",
  ready: "it is about to be performed",
  queued: "another call holds a lock that this one needs",
  parked: "it is frozen until an administrator thaws it",
  offered: "its agent must perform it",
  performing: "it is being performed",
  composing: "its steps are being performed",
  delayed: "Paraph will retry it",
  closed: "it is closed",
};
