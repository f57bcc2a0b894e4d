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
  /** Tells it how the call stands, and what whoever performs it says. */
  tick(call: Call, said?: string): Promise<void>;
  /** Lets it hear something for as long as there is no call yet: a read is performed before it is written down. */
  patiently<T>(asked: Promise<T>): Promise<T>;
}

export function clientOf(context: ServerContext, visit: Visit, url: string): Client {
  const { mcpReq } = context;
  const envelope = mcpReq.envelope as Readonly<Record<string, Declared>> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  const say = speaker(context);
  const state = mcpReq.requestState<unknown>();
  return {
    keepsTasks: declared?.extensions?.[tasksExtension] !== undefined,
    opensPages: declared?.elicitation?.url ? "result" : visit.opensPages ? "error" : "never",
    cameBackTo: typeof state === "string" ? state : undefined,
    signal: AbortSignal.any([mcpReq.signal, visit.signal]),
    tick: (call, said) => say(standing(call, url, said)),
    patiently: (asked) => patiently(asked, say),
  };
}

interface Declared {
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly elicitation?: { readonly url?: unknown };
}

/** Clients give up on silence, and wait for as long as they hear something. */
function speaker({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  let last = { message: "", at: 0 };
  return async (message) => {
    const now = performance.now();
    if (progressToken === undefined || (message === last.message && now - last.at < everyMs)) return;
    progress += 1;
    last = { message, at: now };
    const params = { progressToken, progress, message };
    // A client that is gone hears nothing; the call goes on without it.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** A little less than the pause between two looks, so that every look at what stands still is heard. */
const everyMs = 9_500;

function standing(call: Call, url: string, said: string | undefined): string {
  const page = pageOf(call, url);
  return `Waiting: ${said ?? reasons[call.state]}${page === undefined ? "" : `, at ${page}`}`;
}

async function patiently<T>(asked: Promise<T>, say: (message: string) => Promise<void>): Promise<T> {
  const speaking = setInterval(() => void say("Waiting: it is being looked at"), everyMs);
  try {
    return await asked;
  } finally {
    clearInterval(speaking);
  }
}
