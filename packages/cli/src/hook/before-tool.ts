import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ServerConnection } from "../lib/api/connection.ts";
import { HookApiError, type HookCall, requestApi } from "./api-client.ts";
import type { ToolUse } from "./hook-event.ts";
import type { HookNotes } from "./hook-notes.ts";
import {
  formatEdited,
  formatEnded,
  formatMissingAdapter,
  formatPending,
  formatProtectedFolder,
  formatUndecided,
} from "./messages.ts";
import { isProtectedAccess, listProtectedFolders } from "./tool-use/protected-folders.ts";
import { type ToolCall, toToolCall } from "./tool-use/tool-call.ts";

export interface HookContext {
  readonly connection: ServerConnection;
  /** The name that the configuration gives to the adapter `codingAgent()`. */
  readonly adapter: string;
  readonly gateways: readonly string[];
  /** The environment in which the hook found `connection`. It is not the environment of the current project. */
  readonly environment: NodeJS.ProcessEnv;
  /** The time to wait for an approver. After that time, the hook tells the agent that the call waits. */
  readonly waitMs: number;
  readonly notes: HookNotes;
}

/** The decision about a tool use. `silent` means that Paraph does not object, and the client's own rules decide. */
export type HookDecision =
  | { readonly kind: "silent" }
  | { readonly kind: "allow"; readonly command?: string }
  | { readonly kind: "deny"; readonly words: string };

/** The maximum number of identical tool uses that may run concurrently. */
const maxConcurrent = 8;
const maxHoldMs = 20_000;
const rulingTimeoutMs = 10_000;

/**
 * Asks Paraph about one tool use, and waits for approvers for at most `waitMs`. The caller treats any error as a
 * denial.
 */
export async function handleBeforeTool(of: ToolUse, context: HookContext): Promise<HookDecision> {
  const server = await findMcpServer(of, context);
  if (server?.kind === "governed") return { kind: "silent" };
  if (isProtectedAccess(of, listProtectedFolders(context.environment, process.env)))
    return denyProtectedAccess(of, context);
  const wanted = toToolCall(of, server);
  const until = performance.now() + context.waitMs;
  for (let place = 1; place <= maxConcurrent; place += 1) {
    const session = buildSession(of, place);
    const answer = await new ToolUseRequest(of, wanted, session, until, context).decide();
    if (answer !== "another-has-it") return answer;
  }
  return deny(formatUndecided("too many identical tool uses are already running."));
}

/**
 * Denies access to a protected folder regardless of policy, even if Paraph does not answer. If Paraph answers, it
 * records the attempt.
 */
async function denyProtectedAccess(
  { client, cwd, tool }: ToolUse,
  { connection, adapter }: HookContext,
): Promise<HookDecision> {
  const body = { capability: `${adapter}.own_folder`, input: { client, cwd, tool } };
  await requestApi(connection, { method: "POST", path: "/v1/calls", body }).catch(() => {});
  return deny(formatProtectedFolder());
}

/**
 * Returns the MCP server of a tool. The function imports `classify-mcp-server.ts` only for MCP tools, so that all other
 * tools wait as little as possible.
 */
async function findMcpServer(of: ToolUse, { connection, gateways, environment }: HookContext) {
  if (!isMcpTool(of)) return undefined;
  const { classifyMcpServer } = await import("./classify-mcp-server.ts");
  return classifyMcpServer(of, { url: connection.url, names: gateways, environment });
}

/** Whether the name has the form `mcp__server__tool`, or `mcp_server_tool` for Gemini. */
function isMcpTool({ client, tool }: ToolUse): boolean {
  return tool.startsWith(client === "gemini" ? "mcp_" : "mcp__");
}

/**
 * Builds the session id. Within a session, a repeated request joins the waiting call. If another tool use has already
 * claimed that call, the hook requests a new call in a separate session, with the next `place`.
 */
function buildSession({ client, session }: ToolUse, place: number): string {
  const name = `${client}:${createHash("sha256").update(session).digest("hex").slice(0, 32)}`;
  return place === 1 ? name : `${name}#${place}`;
}

/** The request to Paraph for one tool use, from opening the call to the decision. */
class ToolUseRequest {
  readonly #request: string;
  readonly #capability: string;
  readonly #of: ToolUse;
  readonly #wanted: ToolCall;
  readonly #session: string;
  readonly #until: number;
  readonly #setting: HookContext;
  /** The time by which Paraph must rule on a call that needs no approver. */
  readonly #soon = performance.now() + rulingTimeoutMs;

  constructor(of: ToolUse, wanted: ToolCall, session: string, until: number, context: HookContext) {
    this.#of = of;
    this.#wanted = wanted;
    this.#session = session;
    this.#until = until;
    this.#setting = context;
    this.#capability = `${context.adapter}.${wanted.verb}`;
    this.#request = JSON.stringify([wanted.verb, wanted.input]);
  }

  async decide(): Promise<HookDecision | "another-has-it"> {
    let view = (await this.#calledBefore()) ?? (await this.#place());
    for (;;) {
      if (view.state === "performing") return "another-has-it";
      if (view.state === "closed") {
        if (view.successor === undefined) return this.#over(view);
        view = await this.#look(view.successor);
        continue;
      }
      if (view.state === "offered") {
        const taken = await this.#take(view);
        if (taken) return taken;
        view = await this.#look(view.call);
        if (view.state !== "offered") continue;
      }
      const until = view.state === "asking" ? this.#until : Math.max(this.#until, this.#soon);
      const left = until - performance.now();
      if (left < 1_000) return this.#later(view);
      view = await this.#look(view.call, Math.min(left, maxHoldMs));
    }
  }

  /**
   * Returns an earlier call whose decision the agent has not seen. After the agent has seen the decision, the same
   * request opens a new call.
   */
  async #calledBefore(): Promise<HookCall | undefined> {
    const { notes } = this.#setting;
    const call = notes.findWaiting(this.#session, this.#request);
    if (call === undefined) return undefined;
    const view = await this.#look(call);
    // Other programs can write the file that contains the note. The note is therefore only a hint, and the call must
    // match the tool use exactly.
    if (!this.#isFor(view)) return undefined;
    const news = view.state !== "closed" || ["denied", "refused", "superseded"].includes(view.outcome!.kind);
    if (news) return view;
    notes.forgetWaiting(this.#session, this.#request);
    return undefined;
  }

  #isFor({ capability, input }: HookCall): boolean {
    return capability === this.#capability && isDeepStrictEqual(input, this.#wanted.input);
  }

  async #place(): Promise<HookCall> {
    const { input, purpose } = this.#wanted;
    const { connection, adapter } = this.#setting;
    const session = { session: this.#session };
    const body = { capability: this.#capability, input, session, ...(purpose !== undefined && { purpose }) };
    try {
      return await requestApi<HookCall>(connection, { method: "POST", path: "/v1/calls", body });
    } catch (error) {
      if (error instanceof HookApiError && error.code === "capability-unknown")
        throw new Error(formatMissingAdapter(adapter), { cause: error });
      throw error;
    }
  }

  #look(call: string, holdMs = 0): Promise<HookCall> {
    const path = `/v1/calls/${encodeURIComponent(call)}`;
    return requestApi<HookCall>(this.#setting.connection, { method: "GET", path, holdMs });
  }

  /** Claims the call. Returns undefined if the call's state changed after the hook read the call. */
  async #take(view: HookCall): Promise<HookDecision | undefined> {
    const { notes, connection } = this.#setting;
    const isEdited = view.supersedes !== undefined;
    if (!isEdited && !this.#isFor(view))
      return deny(formatUndecided("the call that Paraph offers does not match the tool use."));
    const edited =
      isEdited && view.capability === this.#capability
        ? findEditedCommand(this.#wanted, view.input)
        : undefined;
    if (isEdited && (edited === undefined || this.#of.client === "codex")) return this.#notAsAsked(view);
    const claimToken = randomUUID();
    const path = `/v1/calls/${encodeURIComponent(view.call)}/claim`;
    // The hook writes the note before it claims the call. Without the note, the hook could not report the tool use
    // later, so the tool use must not begin.
    notes.writeClaim(this.#of, { call: view.call, claimToken, verb: this.#wanted.verb });
    const take = () =>
      requestApi<{ perform?: unknown }>(connection, { method: "POST", path, body: { claimToken } });
    const taken = await take().catch((error) => {
      if (!(error instanceof HookApiError)) throw error;
      // If the server does not answer, the hook repeats the claim. The repetition is safe, because the server treats
      // claims with the same claim token as one claim.
      if (error.code === "no-answer") return take();
      if (staleOfferCodes.has(error.code)) return undefined;
      throw error;
    });
    if (!taken?.perform) {
      notes.forgetClaim(this.#of);
      return undefined;
    }
    notes.forgetWaiting(this.#session, this.#request);
    // If a person approved exactly this tool use, the approval also counts for the client. If policy alone allowed the
    // tool use, the client's own rules still apply.
    if (view.approval?.status !== "approved") return { kind: "silent" };
    return { kind: "allow", ...(edited !== undefined && { command: edited }) };
  }

  /**
   * Withdraws a call that an approver edited, because this client cannot run the edited version. The denial tells the
   * agent to request the edited version itself.
   */
  async #notAsAsked(view: HookCall): Promise<HookDecision> {
    const path = `/v1/calls/${encodeURIComponent(view.call)}/withdrawal`;
    const reason = "The client cannot run the edited call. The agent must request the edited version itself.";
    await requestApi(this.#setting.connection, { method: "POST", path, body: { reason } });
    this.#setting.notes.forgetWaiting(this.#session, this.#request);
    return deny(formatEdited(view));
  }

  #over(view: HookCall): HookDecision {
    this.#setting.notes.forgetWaiting(this.#session, this.#request);
    return deny(formatEnded(view));
  }

  #later(view: HookCall): HookDecision {
    this.#setting.notes.writeWaiting(this.#session, this.#request, view.call);
    return deny(formatPending(view, this.#setting.connection.url));
  }
}

const staleOfferCodes = new Set(["not-offered", "already-claimed", "call-closed"]);

/** Returns the edited shell command if the approver changed nothing else. */
function findEditedCommand({ verb, input }: ToolCall, now: unknown): string | undefined {
  const { command, ...rest } = (now ?? {}) as Record<string, unknown>;
  const { command: _, ...asked } = input;
  const isAll = verb === "bash" && isDeepStrictEqual(rest, asked);
  return isAll && typeof command === "string" ? command : undefined;
}

function deny(words: string): HookDecision {
  return { kind: "deny", words };
}
