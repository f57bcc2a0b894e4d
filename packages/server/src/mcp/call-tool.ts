import {
  type Call,
  type CallRequest,
  digest,
  type Json,
  type JsonObject,
  reachesCapability,
} from "@paraph/core";
import { refusedAnswer } from "./answer.ts";
import { type Following, follow, type ToolAnswer } from "./follow.ts";
import type { CapabilityTool } from "./tool.ts";

/** A tool's call is a call like any: admitted, ruled on, and performed even if this client is gone by then. */
export async function callTool(
  { capability, inputFrom }: Pick<CapabilityTool, "capability" | "inputFrom">,
  given: JsonObject,
  following: Following,
): Promise<ToolAnswer> {
  const { caller } = following.visit;
  if (!reachesCapability(caller, capability))
    return refusedAnswer("The key in use does not reach so far: use one with the scope for this.");
  return place(capability, inputFrom(given), following);
}

/**
 * Clients name their requests anew when they ask again, so no name of theirs is made the call's key. What was asked in this
 * session and never answered is what is meant; what is open already is joined at admission.
 */
export async function place(
  capability: string,
  input: Json,
  following: Following,
  more: Pick<CallRequest, "purpose"> = {},
): Promise<ToolAnswer> {
  const { desk, visit } = following;
  const { principal } = visit.caller;
  const earlier = await unanswered(digest({ capability, input }), following);
  if (earlier) return follow(earlier, false, following);
  const { call, joined = false } = await desk.call({
    ...{ principal, capability, input, session: visit.session, ...more },
    ...(visit.trace !== undefined && { trace: visit.trace }),
  });
  return follow(call, !joined, following);
}

/** The call that this request asks about once more: the one its client comes back to, or one whose result it never got. */
async function unanswered(
  requestDigest: string,
  { desk, visit, client }: Following,
): Promise<Call | undefined> {
  const { principal } = visit.caller;
  const { cameBackTo } = client;
  if (cameBackTo !== undefined) {
    const found = await ownCall(cameBackTo, { desk, visit });
    return found?.requestDigest === requestDigest ? found : undefined;
  }
  const owed = await desk.owed.find(principal, visit.session.session, requestDigest);
  return owed === undefined ? undefined : ownCall(owed, { desk, visit });
}

/** [TRUST 9] A handle is looked up with its principal; that of another one names nothing. */
export async function ownCall(
  id: string,
  { desk, visit }: Pick<Following, "desk" | "visit">,
): Promise<Call | undefined> {
  const { principal } = visit.caller;
  const found = await desk.find(principal, id);
  return found?.principal.id === principal.id ? found : undefined;
}
