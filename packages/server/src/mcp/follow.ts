import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import { closedAnswer } from "./answer.ts";
import type { Client } from "./client.ts";
import type { Desk } from "./desk.ts";
import { pageOf, pendingAnswer } from "./pending.ts";
import { type TaskResult, taskResult } from "./task.ts";
import type { Visit } from "./visit.ts";
import { attend } from "./wait.ts";

export type ToolAnswer = CallToolResult | InputRequiredResult | TaskResult;

/** What following a call takes. */
export interface Following {
  readonly desk: Desk;
  readonly visit: Visit;
  readonly client: Client;
  /** Where browsers reach this server. */
  readonly url: string;
  /** How long a client is kept waiting before it is told to come back. */
  readonly patienceMs: number;
  /** The tool to come back with. */
  readonly wait: string;
  /** Whether a capability's output is what an MCP server answered. */
  readonly isMcp: (capability: string) => boolean;
}

/**
 * Stays with a call for its client: hands over its end, or whatever this client can hold on to until a person has decided. It is
 * asked to open a page once at most (`isNew`): a client may answer that at once, whatever its user did.
 */
export async function follow(call: Call, isNew: boolean, following: Following): Promise<ToolAnswer> {
  const { client, url, wait } = following;
  const asksPage = isNew && client.opensPages !== "never";
  const now = await stay(call, following, asksPage || client.keepsTasks);
  if (now.state === "closed") return handedOver(now, following, call);
  if (client.keepsTasks) return taskResult(now, url);
  return (isNew && pageRequest(now, following)) || pendingAnswer(now, url, wait);
}

/**
 * The call once it is over, or as it stands when its client's patience ends; `untilAsked`: or when a person is asked, since there is
 * something to tell the client then.
 */
export async function stay(
  call: Call,
  { desk, visit, client, patienceMs }: Following,
  untilAsked: boolean,
): Promise<Call> {
  const now = await attend(call, desk, {
    principal: visit.caller.principal,
    ms: patienceMs,
    signal: client.signal,
    tick: async (here) => {
      const said = here.state === "performing" ? (await desk.progress(here))?.said?.message : undefined;
      await client.tick(here, said ?? undefined);
    },
    until: ({ state }) => untilAsked && state === "asking",
  });
  // [TRUST 21] What was revoked during the wait gets nothing.
  if (now !== call && !(await visit.isStillAllowed()))
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "The key or token is no longer in force.");
  return now;
}

/** The result of a closed call. */
export async function handedOver(
  call: Call,
  following: Pick<Following, "desk" | "client" | "isMcp">,
  asked: Call = call,
): Promise<CallToolResult> {
  await settle(call, asked, following);
  return closedAnswer(call, following.isMcp(call.capability));
}

/** Who hung up did not get the result, and is owed it still. */
export async function settle(
  call: Call,
  asked: Call,
  { desk, client }: Pick<Following, "desk" | "client">,
): Promise<void> {
  if (!isOwed(asked) || client.signal.aborted) return;
  // What a person edited is owed under the request that it took the place of.
  const calls = [asked.call, call.call, call.supersedes].filter((one) => one !== undefined);
  await desk.handOver(call.tenant, [...new Set(calls)]);
}

/** What was over as it was opened has no second epoch, and was never owed: asked for again, it is read again. */
function isOwed({ epoch, state }: Call): boolean {
  return epoch > 1 || state !== "closed";
}

/** The page where people decide, for a client that opens pages: in the words of its era. */
export function pageRequest(call: Call, { client, url }: Following): InputRequiredResult | undefined {
  const page = pageOf(call, url);
  if (page === undefined || client.opensPages === "never") return undefined;
  const message = "A person has to decide about this. Open the page if that is you, or pass it on.";
  if (client.opensPages === "error")
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
