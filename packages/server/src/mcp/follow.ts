import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import { closedAnswer } from "./answer.ts";
import { attend } from "./attend.ts";
import type { Client } from "./client.ts";
import type { Desk } from "./desk.ts";
import { pageOf, pendingAnswer } from "./pending.ts";
import { type TaskResult, taskResult } from "./task.ts";
import type { Visit } from "./visit.ts";

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
  const { desk, visit, client, url, patienceMs, wait } = following;
  const { principal } = visit.caller;
  const owe = async (here: Call) => {
    if (here.state === "asking") await desk.owed.keep(here, visit.session.session, call.requestDigest);
  };
  const asksPage = isNew && client.opensPages !== "never";
  const now = await attend(call, desk, {
    ...{ principal, ms: patienceMs, signal: client.signal },
    tick: async (here) => {
      await owe(here);
      const said = here.state === "performing" ? (await desk.progress(here))?.said?.message : undefined;
      await client.tick(here, said ?? undefined);
    },
    until: ({ state }) => state === "asking" && (client.keepsTasks || asksPage),
  });
  if (now.state === "closed") return handedOver(now, following, call);
  await owe(now);
  if (client.keepsTasks) return taskResult(now, url);
  const page = pageOf(now, url);
  return asksPage && page !== undefined ? pageRequest(now, page, client) : pendingAnswer(now, url, wait);
}

/** The result of a closed call. Who hung up did not get it, and is owed it still. */
export async function handedOver(
  call: Call,
  { desk, client, isMcp }: Pick<Following, "desk" | "client" | "isMcp">,
  asked: Call = call,
): Promise<CallToolResult> {
  const wasAsked = call.approval !== undefined || asked.approval !== undefined;
  if (wasAsked && !client.signal.aborted) await desk.owed.settle(call.tenant, [call.call, asked.call]);
  return closedAnswer(call, isMcp(call.capability));
}

function pageRequest(call: Call, page: string, { opensPages }: Client): InputRequiredResult {
  const message = "A person has to decide about this. Open the page if that is you, or pass it on.";
  if (opensPages === "error")
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
