import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import type { RequestContext } from "./request-context.ts";
import { findApprovalUrl, waitReasons } from "./tools/pending-result.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** What a client can do while a call is open, and what it said with this very request. */
export interface McpClient {
  readonly canUseTasks: boolean;
  /** How it is asked to open a page: as a result that is answered, as an error that is tried again, or not at all. */
  readonly pageRequestMode: "result" | "error" | "never";
  /** The call that it was asked to open a page for, if it comes back from there. */
  readonly resumedCall: string | undefined;
  readonly signal: AbortSignal;
  /** Tells it how the call stands, and what whoever performs it says. */
  reportProgress(call: Call, said?: string): Promise<void>;
  /** Lets it hear something for as long as there is no call yet: a read is performed before it is written down. */
  awaitWithHeartbeat<T>(asked: Promise<T>): Promise<T>;
}

export function createMcpClient(context: ServerContext, visit: RequestContext, url: string): McpClient {
  const { mcpReq } = context;
  const envelope = mcpReq.envelope as Readonly<Record<string, DeclaredCapabilities>> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  const say = createProgressNotifier(context);
  const state = mcpReq.requestState<unknown>();
  return {
    canUseTasks: declared?.extensions?.[tasksExtension] !== undefined,
    pageRequestMode: declared?.elicitation?.url ? "result" : visit.canOpenPages ? "error" : "never",
    resumedCall: typeof state === "string" ? state : undefined,
    signal: AbortSignal.any([mcpReq.signal, visit.signal]),
    reportProgress: (call, said) => say(formatStatus(call, url, said)),
    awaitWithHeartbeat: (asked) => awaitWithHeartbeat(asked, say),
  };
}

interface DeclaredCapabilities {
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly elicitation?: { readonly url?: unknown };
}

/** Clients give up on silence, and wait for as long as they hear something. */
function createProgressNotifier({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  let last = { message: "", at: 0 };
  return async (message) => {
    const now = performance.now();
    if (progressToken === undefined || (message === last.message && now - last.at < heartbeatMs)) return;
    progress += 1;
    last = { message, at: now };
    const params = { progressToken, progress, message };
    // A client that is gone hears nothing; the call goes on without it.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** A little less than the pause between two looks, so that every look at what stands still is heard. */
const heartbeatMs = 9_500;

function formatStatus(call: Call, url: string, said: string | undefined): string {
  const page = findApprovalUrl(call, url);
  return `Waiting: ${said ?? waitReasons[call.state]}${page === undefined ? "" : `, at ${page}`}`;
}

async function awaitWithHeartbeat<T>(asked: Promise<T>, say: (message: string) => Promise<void>): Promise<T> {
  const speaking = setInterval(() => void say("Waiting: it is being looked at"), heartbeatMs);
  try {
    return await asked;
  } finally {
    clearInterval(speaking);
  }
}
