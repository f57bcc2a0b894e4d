import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import type { ParaphService } from "../services/paraph-service.ts";
import type { McpClient } from "./client.ts";
import type { RequestContext } from "./request-context.ts";
import { type TaskResult, toTaskResult } from "./task.ts";
import { findApprovalUrl, toPendingResult } from "./tools/pending-result.ts";
import { toClosedResult } from "./tools/tool-result.ts";
import { waitUntilClosed } from "./wait.ts";

/** The possible results of a tool call. */
export type ToolAnswer = CallToolResult | InputRequiredResult | TaskResult;

/** The dependencies of `followCall`. */
export interface FollowContext {
  readonly service: ParaphService;
  readonly requestContext: RequestContext;
  readonly client: McpClient;
  /** The address at which browsers reach this server. */
  readonly url: string;
  /** The maximum time that a client waits before Paraph returns a pending result. */
  readonly maxWaitMs: number;
  /** The name of the tool that fetches a pending result. */
  readonly waitTool: string;
  /** Returns whether the capability's output is the result of an MCP server. */
  readonly isMcpCapability: (capability: string) => boolean;
}

/**
 * Waits for a call on behalf of its client. Returns the result, or a pending result in a form that this client
 * understands. Paraph asks the client to open a page only for a new call (`isNew`), because a client may answer
 * immediately, without waiting for its user.
 */
export async function followCall(call: Call, isNew: boolean, following: FollowContext): Promise<ToolAnswer> {
  const { client, url, waitTool } = following;
  const asksPage = isNew && client.pageRequestMode !== "never";
  const now = await waitForResult(call, following, asksPage || client.canUseTasks);
  if (now.state === "closed") return deliverResult(now, following, call);
  if (client.canUseTasks) return toTaskResult(now, url);
  return (isNew && createPageRequest(now, following)) || toPendingResult(now, url, waitTool);
}

/**
 * Returns the call once it is closed, or its current state after `maxWaitMs`. With `untilAsked`, the wait also ends
 * when the call needs an approver, so that Paraph can inform the client.
 */
export async function waitForResult(
  call: Call,
  { service, requestContext, client, maxWaitMs }: FollowContext,
  untilAsked: boolean,
): Promise<Call> {
  const now = await waitUntilClosed(call, service, {
    principal: requestContext.caller.principal,
    ms: maxWaitMs,
    signal: client.signal,
    reportProgress: async (call) => {
      const said =
        call.state === "performing" ? (await service.readProgress(call))?.progress?.message : undefined;
      await client.reportProgress(call, said ?? undefined);
    },
    shouldStop: ({ state }) => untilAsked && state === "asking",
  });
  // [TRUST 21] A caller whose key was revoked during the wait gets nothing.
  if (now !== call && !(await requestContext.isStillAllowed()))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      "The key or token is no longer in force. Use another one.",
    );
  return now;
}

/** Returns the result of a closed call, and records its delivery. */
export async function deliverResult(
  call: Call,
  following: Pick<FollowContext, "service" | "client" | "isMcpCapability">,
  asked: Call = call,
): Promise<CallToolResult> {
  await markResultDelivered(call, asked, following);
  return toClosedResult(call, following.isMcpCapability(call.capability));
}

/** Records that the client has the result. For a client that disconnected, the result stays undelivered. */
export async function markResultDelivered(
  call: Call,
  asked: Call,
  { service, client }: Pick<FollowContext, "service" | "client">,
): Promise<void> {
  if (!isUndelivered(asked) || client.signal.aborted) return;
  // If a person edited the call, Paraph must also mark the result as delivered for the original call.
  const calls = [asked.call, call.call, call.supersedes].filter((one) => one !== undefined);
  await service.markDelivered(call.tenant, [...new Set(calls)]);
}

/**
 * Returns whether Paraph tracks the delivery of the result. Paraph does not track it for a call that was closed at its
 * creation, which has only one epoch. If such a call was a read, a repeated request performs the read again.
 */
function isUndelivered({ epoch, state }: Call): boolean {
  return epoch > 1 || state !== "closed";
}

/**
 * Asks the client to open the approval page, in the form that its protocol version defines. Returns undefined if there
 * is no page or if the client does not open pages.
 */
export function createPageRequest(
  call: Call,
  { client, url }: FollowContext,
): InputRequiredResult | undefined {
  const page = findApprovalUrl(call, url);
  if (page === undefined || client.pageRequestMode === "never") return undefined;
  const message = "A person must decide about this call. Open the page to decide, or send it to an approver.";
  if (client.pageRequestMode === "error")
    throw new UrlElicitationRequiredError(
      [{ mode: "url", message, url: page, elicitationId: call.call }],
      message,
    );
  // The client sends `requestState` back. Paraph looks up this call id only among the caller's own calls, so a client
  // cannot reach another caller's call.
  return inputRequired({
    inputRequests: { page: inputRequired.elicitUrl({ message, url: page }) },
    requestState: call.call,
  });
}
