import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Call, digestRequest, hasCapabilityScope, type Json, type JsonObject } from "@paraph/core";
import type { IntentRecord } from "@paraph/core/intents";
import { type FollowContext, followCall, type ToolAnswer } from "../follow-call.ts";
import type { CapabilityTool } from "./capability-tool.ts";
import { addNote, toErrorResult } from "./tool-result.ts";

/**
 * Calls a capability through its tool. Paraph admits, rules on and performs the call even if the client disconnects.
 */
export async function callTool(
  { capability, toInput }: Pick<CapabilityTool, "capability" | "toInput">,
  given: JsonObject,
  following: FollowContext,
): Promise<ToolAnswer> {
  const { caller } = following.requestContext;
  if (!hasCapabilityScope(caller, capability))
    return toErrorResult("The API key lacks the scope for this call. Use a key that has it.");
  return callCapability(capability, toInput(given), following);
}

/** Requests a call of the capability, with the words that it came from, if any, and follows it for the client. */
export async function callCapability(
  capability: string,
  input: Json,
  following: FollowContext,
  words?: IntentRecord,
): Promise<ToolAnswer> {
  const { call, isNew, isLate } = await requestCall(capability, input, following, words);
  const answer = await followCall(call, isNew, following);
  return isLate ? addLateNote(answer, call) : answer;
}

/** A call that a client requested. */
export interface RequestedCall {
  readonly call: Call;
  readonly isNew: boolean;
  /** Whether the client repeated its request after the call had closed. */
  readonly isLate: boolean;
}

/**
 * Requests a call, or joins an existing one. Clients give a repeated request a new id, so the id cannot be the
 * idempotency key. Instead, admission joins a call of this session that is open or undelivered. A call is undelivered
 * from its creation, so that a crash before the delivery does not lose the result.
 */
export async function requestCall(
  capability: string,
  input: Json,
  following: FollowContext,
  words?: IntentRecord,
): Promise<RequestedCall> {
  const { service, requestContext, client } = following;
  const cameBack = await findResumedCall(
    digestRequest({ principal: requestContext.caller.principal, capability, input }),
    following,
  );
  if (cameBack) return { call: cameBack, isNew: false, isLate: false };
  const asked = service.requestCall({
    principal: requestContext.caller.principal,
    capability,
    input,
    session: requestContext.session,
    undelivered: true,
    ...(words && { words }),
    ...(requestContext.trace !== undefined && { trace: requestContext.trace }),
  });
  const { call, joinedDuplicate = false } = await client.awaitWithHeartbeat(asked);
  return { call, isNew: !joinedDuplicate, isLate: joinedDuplicate && call.state === "closed" };
}

/**
 * Adds a note for a client that may have intended to repeat the call. The note states that Paraph did not perform the
 * call again.
 */
function addLateNote(answer: ToolAnswer, { createdAt }: Call): ToolAnswer {
  if (!isComplete(answer)) return answer;
  const at = new Date(createdAt).toISOString();
  return addNote(
    answer,
    `You requested exactly this call at ${at} and did not receive its result. This is that result. The call was not performed again. To perform it again, repeat the request.`,
  );
}

function isComplete(answer: ToolAnswer): answer is CallToolResult {
  return "content" in answer && Array.isArray(answer.content);
}

/**
 * Returns the call that the client resumes after Paraph asked it to open a page. Returns undefined if the client did
 * not repeat the same request.
 */
async function findResumedCall(
  requestDigest: string,
  { service, requestContext, client }: FollowContext,
): Promise<Call | undefined> {
  if (client.resumedCall === undefined) return undefined;
  const found = await findOwnCall(client.resumedCall, { service, requestContext });
  return found?.requestDigest === requestDigest ? found : undefined;
}

/**
 * [TRUST 9] Returns the principal's own call. Returns undefined for another principal's call, as if that call did not
 * exist.
 */
export async function findOwnCall(
  id: string,
  { service, requestContext }: Pick<FollowContext, "service" | "requestContext">,
): Promise<Call | undefined> {
  const { principal } = requestContext.caller;
  // [TRUST 24] An id that cannot exist is not looked up, because PostgreSQL refuses some texts, such as a zero byte.
  const found = callIdPattern.test(id) ? await service.findCall(principal, id) : undefined;
  return found?.principal.id === principal.id ? found : undefined;
}

const callIdPattern = /^[A-Za-z0-9_-]{1,128}$/;
