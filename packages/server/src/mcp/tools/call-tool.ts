import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Call, digestRequest, hasCapabilityScope, type Json, type JsonObject } from "@paraph/core";
import { type FollowContext, followCall, type ToolAnswer } from "../follow-call.ts";
import type { CapabilityTool } from "./capability-tool.ts";
import { addNote, toErrorResult } from "./tool-result.ts";

/** A tool's call is a call like any: admitted, ruled on, and performed even if this client is gone by then. */
export async function callTool(
  { capability, toInput: inputFrom }: Pick<CapabilityTool, "capability" | "toInput">,
  given: JsonObject,
  following: FollowContext,
): Promise<ToolAnswer> {
  const { caller } = following.requestContext;
  if (!hasCapabilityScope(caller, capability))
    return toErrorResult("The key in use does not reach so far: use one with the scope for this.");
  return callCapability(capability, inputFrom(given), following);
}

export async function callCapability(
  capability: string,
  input: Json,
  following: FollowContext,
): Promise<ToolAnswer> {
  const { call, isNew, isLate } = await requestCall(capability, input, following);
  const answer = await followCall(call, isNew, following);
  return isLate ? addLateNote(answer, call) : answer;
}

export interface RequestedCall {
  readonly call: Call;
  readonly isNew: boolean;
  /** It was over before its client asked again. */
  readonly isLate: boolean;
}

/**
 * Clients name their requests anew when they ask again, so no name of theirs is made the call's key: what is open already in this
 * session, or was never answered, is joined at admission. It is owed from its very opening, so that no crash between loses it.
 */
export async function requestCall(
  capability: string,
  input: Json,
  following: FollowContext,
): Promise<RequestedCall> {
  const { service: desk, requestContext: visit, client } = following;
  const cameBack = await findResumedCall(
    digestRequest({ principal: visit.caller.principal, capability, input }),
    following,
  );
  if (cameBack) return { call: cameBack, isNew: false, isLate: false };
  const asked = desk.requestCall({
    principal: visit.caller.principal,
    capability,
    input,
    session: visit.session,
    undelivered: true,
    ...(visit.trace !== undefined && { trace: visit.trace }),
  });
  const { call, joinedDuplicate = false } = await client.awaitWithHeartbeat(asked);
  return { call, isNew: !joinedDuplicate, isLate: joinedDuplicate && call.state === "closed" };
}

/** Who wanted it once more, and not the answer they never got, has to know that it was not done again. */
function addLateNote(answer: ToolAnswer, { createdAt }: Call): ToolAnswer {
  if (!isComplete(answer)) return answer;
  const at = new Date(createdAt).toISOString();
  return addNote(
    answer,
    `You asked for exactly this at ${at} and never got the answer: here it is. It was not done again; call once more if it should be.`,
  );
}

function isComplete(answer: ToolAnswer): answer is CallToolResult {
  return "content" in answer && Array.isArray(answer.content);
}

/** The call that this client was asked to open a page for, if this is the same request once more. */
async function findResumedCall(
  requestDigest: string,
  { service: desk, requestContext: visit, client }: FollowContext,
): Promise<Call | undefined> {
  if (client.resumedCall === undefined) return undefined;
  const found = await findOwnCall(client.resumedCall, { service: desk, requestContext: visit });
  return found?.requestDigest === requestDigest ? found : undefined;
}

/** [TRUST 9] A handle is looked up with its principal; that of another one names nothing. */
export async function findOwnCall(
  id: string,
  { service: desk, requestContext: visit }: Pick<FollowContext, "service" | "requestContext">,
): Promise<Call | undefined> {
  const { principal } = visit.caller;
  const found = await desk.findCall(principal, id);
  return found?.principal.id === principal.id ? found : undefined;
}
