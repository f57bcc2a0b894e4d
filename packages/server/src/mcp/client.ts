import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import type { RequestContext } from "./request-context.ts";
import { findApprovalUrl, waitReasons } from "./tools/pending-result.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The features that a client supports for open calls, and the data that it sent with this request. */
export interface McpClient {
  readonly canUseTasks: boolean;
  /**
   * The form in which Paraph asks the client to open a page. With `result`, Paraph returns a request that the client
   * answers. With `error`, Paraph returns an error after which the client retries. With `never`, Paraph does not ask.
   */
  readonly pageRequestMode: "result" | "error" | "never";
  /** The id of the call that this request resumes, after Paraph asked the client to open a page for that call. */
  readonly resumedCall: string | undefined;
  readonly signal: AbortSignal;
  /** Sends the client the status of the call. `said` is the latest message of the call's attempt. */
  reportProgress(call: Call, said?: string): Promise<void>;
  /**
   * Sends heartbeats to the client until `asked` settles. The client may have to wait, because Paraph performs a read
   * before it records the call.
   */
  awaitWithHeartbeat<T>(asked: Promise<T>): Promise<T>;
}

export function createMcpClient(
  context: ServerContext,
  requestContext: RequestContext,
  url: string,
): McpClient {
  const { mcpReq } = context;
  const envelope = mcpReq.envelope as Readonly<Record<string, DeclaredCapabilities>> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  const say = createProgressNotifier(context);
  const state = mcpReq.requestState<unknown>();
  return {
    canUseTasks: declared?.extensions?.[tasksExtension] !== undefined,
    pageRequestMode: declared?.elicitation?.url ? "result" : requestContext.canOpenPages ? "error" : "never",
    resumedCall: typeof state === "string" ? state : undefined,
    signal: AbortSignal.any([mcpReq.signal, requestContext.signal]),
    reportProgress: (call, said) => say(formatStatus(call, url, said)),
    awaitWithHeartbeat: (asked) => awaitWithHeartbeat(asked, say),
  };
}

interface DeclaredCapabilities {
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly elicitation?: { readonly url?: unknown };
}

/**
 * Creates a function that sends progress messages. A client waits as long as messages arrive, and times out without
 * them.
 */
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
    // Ignores the error if the client has disconnected. The message is lost, but the call continues.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/**
 * The minimum interval between two equal messages. It is slightly shorter than the interval at which an idle wait
 * reports, so that every report sends a message.
 */
const heartbeatMs = 9_500;

function formatStatus(call: Call, url: string, said: string | undefined): string {
  const page = findApprovalUrl(call, url);
  return `Waiting: ${said ?? waitReasons[call.state]}${page === undefined ? "" : `, at ${page}`}`;
}

async function awaitWithHeartbeat<T>(asked: Promise<T>, say: (message: string) => Promise<void>): Promise<T> {
  const speaking = setInterval(() => void say("Waiting: Paraph is evaluating the call"), heartbeatMs);
  try {
    return await asked;
  } finally {
    clearInterval(speaking);
  }
}
