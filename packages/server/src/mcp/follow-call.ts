import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import type { McpClient } from "./client.ts";
import type { McpService } from "./mcp-service.ts";
import type { RequestContext } from "./request-context.ts";
import { type TaskResult, toTaskResult } from "./task.ts";
import { findApprovalUrl, toPendingResult } from "./tools/pending-result.ts";
import { toClosedResult } from "./tools/tool-result.ts";
import { waitUntilClosed } from "./wait.ts";

export type ToolAnswer = CallToolResult | InputRequiredResult | TaskResult;

/** What following a call takes. */
export interface FollowContext {
  readonly service: McpService;
  readonly requestContext: RequestContext;
  readonly client: McpClient;
  /** Where browsers reach this server. */
  readonly url: string;
  /** How long a client is kept waiting before it is told to come back. */
  readonly maxWaitMs: number;
  /** The tool to come back with. */
  readonly waitTool: string;
  /** Whether a capability's output is what an MCP server answered. */
  readonly isMcpCapability: (capability: string) => boolean;
}

/**
 * Stays with a call for its client: hands over its end, or whatever this client can hold on to until a person has decided. It is
 * asked to open a page once at most (`isNew`): a client may answer that at once, whatever its user did.
 */
export async function followCall(call: Call, isNew: boolean, following: FollowContext): Promise<ToolAnswer> {
  const { client, url, waitTool: wait } = following;
  const asksPage = isNew && client.pageRequestMode !== "never";
  const now = await waitForResult(call, following, asksPage || client.canUseTasks);
  if (now.state === "closed") return deliverResult(now, following, call);
  if (client.canUseTasks) return toTaskResult(now, url);
  return (isNew && createPageRequest(now, following)) || toPendingResult(now, url, wait);
}

/**
 * The call once it is over, or as it stands when its client's patience ends; `untilAsked`: or when a person is asked, since there is
 * something to tell the client then.
 */
export async function waitForResult(
  call: Call,
  { service: desk, requestContext: visit, client, maxWaitMs: patienceMs }: FollowContext,
  untilAsked: boolean,
): Promise<Call> {
  const now = await waitUntilClosed(call, desk, {
    principal: visit.caller.principal,
    ms: patienceMs,
    signal: client.signal,
    reportProgress: async (here) => {
      const said = here.state === "performing" ? (await desk.readProgress(here))?.said?.message : undefined;
      await client.reportProgress(here, said ?? undefined);
    },
    shouldStop: ({ state }) => untilAsked && state === "asking",
  });
  // [TRUST 21] What was revoked during the wait gets nothing.
  if (now !== call && !(await visit.isStillAllowed()))
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "The key or token is no longer in force.");
  return now;
}

/** The result of a closed call. */
export async function deliverResult(
  call: Call,
  following: Pick<FollowContext, "service" | "client" | "isMcpCapability">,
  asked: Call = call,
): Promise<CallToolResult> {
  await markResultDelivered(call, asked, following);
  return toClosedResult(call, following.isMcpCapability(call.capability));
}

/** Who hung up did not get the result, and is owed it still. */
export async function markResultDelivered(
  call: Call,
  asked: Call,
  { service: desk, client }: Pick<FollowContext, "service" | "client">,
): Promise<void> {
  if (!isUndelivered(asked) || client.signal.aborted) return;
  // What a person edited is owed under the request that it took the place of.
  const calls = [asked.call, call.call, call.supersedes].filter((one) => one !== undefined);
  await desk.markDelivered(call.tenant, [...new Set(calls)]);
}

/** What was over as it was opened has no second epoch, and was never owed: asked for again, it is read again. */
function isUndelivered({ epoch, state }: Call): boolean {
  return epoch > 1 || state !== "closed";
}

/** The page where people decide, for a client that opens pages: in the words of its era. */
export function createPageRequest(
  call: Call,
  { client, url }: FollowContext,
): InputRequiredResult | undefined {
  const page = findApprovalUrl(call, url);
  if (page === undefined || client.pageRequestMode === "never") return undefined;
  const message = "A person has to decide about this. Open the page if that is you, or pass it on.";
  if (client.pageRequestMode === "error")
    throw new UrlElicitationRequiredError(
      [{ mode: "url", message, url: page, elicitationId: call.call }],
      message,
    );
  // What comes back is looked up as the caller's own: naming another call gains nothing.
  return inputRequired({
    inputRequests: { page: inputRequired.elicitUrl({ message, url: page }) },
    requestState: call.call,
  });
}
