import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import { pageOf, reasons } from "./pending.ts";
import type { Visit } from "./visit.ts";

export const tasksExtension = "io.modelcontextprotocol/tasks";

/** What a client can do while a call is open, and what it said with this very request. */
export interface Client {
  readonly keepsTasks: boolean;
  /** How it is asked to open a page: as a result that is answered, as an error that is tried again, or not at all. */
  readonly opensPages: "result" | "error" | "never";
  /** The call that it was asked to open a page for, if it comes back from there. */
  readonly cameBackTo: string | undefined;
  readonly signal: AbortSignal;
  tick(call: Call): Promise<void>;
}

export function clientOf(context: ServerContext, visit: Visit, url: string): Client {
  const { mcpReq } = context;
  const envelope = mcpReq.envelope as Readonly<Record<string, Declared>> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  const state = mcpReq.requestState<unknown>();
  return {
    keepsTasks: declared?.extensions?.[tasksExtension] !== undefined,
    opensPages: declared?.elicitation?.url ? "result" : visit.opensPages ? "error" : "never",
    cameBackTo: typeof state === "string" ? state : undefined,
    signal: AbortSignal.any([mcpReq.signal, visit.signal]),
    tick: ticker(context, url),
  };
}

interface Declared {
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly elicitation?: { readonly url?: unknown };
}

/** Clients give up on silence, and wait for as long as they hear something. */
function ticker({ mcpReq }: ServerContext, url: string): Client["tick"] {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async (call) => {
    if (progressToken === undefined) return;
    progress += 1;
    const page = pageOf(call, url);
    const message = `Waiting: ${reasons[call.state]}${page === undefined ? "" : `, at ${page}`}`;
    const params = { progressToken, progress, message };
    // A client that is gone hears nothing; the call goes on without it.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
