import type {
  Json,
  JsonObject,
  OutcomeKind,
  PlanRequest,
  PublicKey,
  ReceiptBundle,
  Requirements,
  Session,
  SessionSnapshot,
  ToolChain,
} from "@paraph/core";
import type {
  ApiCall,
  ApiPlan,
  CallEvent,
  CapabilityContract,
  CapabilitySummary,
  OutcomeFilter,
  OutcomeStatistics,
  PlanStep,
  PreviewResult,
} from "./api-views.ts";
import { type CallResult, toCallResult } from "./call-result.ts";
import { type ApiConnection, type ClientOptions, createConnection } from "./connection.ts";
import { type EventsOptions, followEvents } from "./events.ts";
import { ParaphProblem } from "./paraph-problem.ts";
import { computeBackoffMs, pause } from "./pause.ts";

/** The options of a call or a plan. */
export interface CallOptions {
  /**
   * The idempotency key of the call (default: a random key). Requests with the same key and input refer to the same
   * call. If you store the key, you can fetch the result after a crash. With a random key, the client can still retry
   * the request safely.
   */
  readonly key?: string;
  /**
   * The time to wait for the call to close (default: 0). If the call is still open after this time, the client
   * returns it as `pending`.
   */
  readonly waitMs?: number;
  /** The reason for the call. Approvers see it as the requester's claim. */
  readonly purpose?: string;
  /**
   * The agent's own summary of its state, at most 20,000 characters. `session` gives it back. Approvers see it as the
   * requester's claim.
   */
  readonly compressedState?: string;
  /**
   * The correlation id of the call, 32 hexadecimal digits. It becomes the trace id of the request, and calls of other
   * agents and sessions can share it.
   */
  readonly correlation?: string;
  /** Your own ids that group calls. */
  readonly session?: Session;
  /** Requirements in addition to policy. They can tighten the policy and never loosen it. */
  readonly requirements?: Requirements;
  /** Whether to continue with the edited call if an approver edits this one. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** The options of `wait`. */
export interface WaitOptions {
  /** The time to wait (default: no limit, because people need time). */
  readonly timeoutMs?: number;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** A client of one Paraph server, acting as one agent. */
export interface ParaphClient {
  readonly url: string;
  /** Requests a call. A refused call resolves as a result. An invalid request rejects with a ParaphProblem. */
  call<O = unknown, I extends Json | JsonObject = JsonObject>(
    capability: string,
    input: I,
    options?: CallOptions,
  ): Promise<CallResult<O>>;
  /**
   * Waits until the call closes or awaits `agent`, or until the timeout passes. The client continues to wait across
   * restarts of the server.
   */
  wait<O = unknown>(call: string, options?: WaitOptions): Promise<CallResult<O>>;
  /** Returns the current state of a call. */
  getCall<O = unknown>(call: string): Promise<CallResult<O>>;
  /** Yields the events of a call as they happen, until the call is closed. */
  events(call: string, options?: EventsOptions): AsyncGenerator<CallEvent, void, void>;
  /**
   * Claims a call that awaits `agent`, so that you perform it yourself. Repeating the request with the same claim token
   * returns the same claim. `governCapability` claims, performs and reports for you.
   */
  claim<O = unknown>(call: string, claimToken: string): Promise<ClaimedCall<O>>;
  /** Reports the result of a call that was claimed with this claim token. A repeated report has no further effect. */
  report<O = unknown>(call: string, claimToken: string, report: ExecutionReport): Promise<CallResult<O>>;
  /**
   * Requests several steps as one call, from a plan document or a tool chain. The output names each step's call and
   * outcome.
   */
  plan(document: PlanRequest | ToolChain, options?: CallOptions): Promise<CallResult<PlanOutput>>;
  /** Returns a plan's steps as they are now, with their previews, calls and statuses. */
  steps(plan: string): Promise<readonly PlanStep[]>;
  /**
   * Returns the preview of a call or a plan, and the ruling that policy would give. Paraph writes nothing and asks no
   * approver.
   */
  preview(request: PreviewRequest): Promise<PreviewResult>;
  /**
   * Requests a new call that undoes a call or a plan. Rejects with `no-undo` and the reason if the call or plan cannot
   * be undone.
   */
  undo(
    call: string,
    options?: Pick<CallOptions, "waitMs" | "purpose" | "requirements" | "signal">,
  ): Promise<CallResult>;
  /** Withdraws a call before it acts. */
  withdraw(call: string, reason?: string): Promise<CallResult>;
  /**
   * Returns the signed receipt of a closed call. `verify` checks the receipt with a key that you trust, without network
   * access.
   */
  receipt(call: string): Promise<ReceiptBundle>;
  /**
   * Returns the public keys that this server signs with. Before you trust them, compare them with a copy from another
   * source.
   */
  keys(): Promise<readonly PublicKey[]>;
  /**
   * Returns the state of a session: open questions, calls, plans, outcomes and observations. It fits into `tokens`
   * (default: 2,000), and its `version` changes only if the state changes. After a restart, resume from it. Returns
   * undefined if the session has no calls yet.
   */
  session(session: string, options?: { readonly tokens?: number }): Promise<SessionSnapshot | undefined>;
  /**
   * Returns how earlier calls ended, by capability by default: success rate, durations, cost, tokens and the most
   * frequent codes of calls that did not succeed. Planners choose by it.
   */
  outcomes(filter?: OutcomeFilter): Promise<readonly OutcomeStatistics[]>;
  /** Lists the capabilities that the agent can see. */
  capabilities(): Promise<readonly CapabilitySummary[]>;
  /** Returns the contract of a capability. */
  capability(name: string): Promise<CapabilityContract>;
}

/** A capability with its input, or a plan. */
export type PreviewRequest = { readonly requirements?: Requirements } & (
  | { readonly capability: string; readonly input: Json | JsonObject }
  | { readonly plan: PlanRequest | ToolChain }
);

/** The output of a plan that succeeded. */
export interface PlanOutput {
  readonly steps: readonly {
    readonly step: string;
    readonly call?: string;
    readonly outcome: OutcomeKind;
    readonly code: string;
  }[];
  readonly declined: readonly string[];
  readonly skipped: readonly string[];
}

/**
 * The result of a claim. If `perform` is absent, there is nothing to perform, and `result` holds the state of the call.
 */
export interface ClaimedCall<O = unknown> {
  readonly result: CallResult<O>;
  readonly perform?: {
    readonly attempt: number;
    readonly deadline: string;
    /**
     * The time until the report is due. If no report arrives in time, the call closes as unknown, or as failed if it is
     * a read.
     */
    readonly withinMs: number;
    /** Exactly the approved input. An approver may have edited it. */
    readonly input: Json;
  };
}

/**
 * The result of an execution. `not-performed` means that it certainly had no effect. `ambiguous` means that it may have
 * had its effect, so people investigate.
 */
export type ExecutionReport =
  | { readonly as: "succeeded"; readonly output: Json }
  | { readonly as: "not-performed" | "ambiguous"; readonly code?: string; readonly message?: string };

const maxHoldMs = 60_000;

/**
 * Creates a client for one Paraph server and one agent. The client keeps no state, so another client with the same key
 * sees the same calls.
 */
export function createClient(options: ClientOptions): ParaphClient {
  const connection = createConnection(options);
  const { request: ask, requestWithRetry } = connection;
  const answer = <O>(view: ApiCall): CallResult<O> => toCallResult<O>(view, connection.url);

  const wait: ParaphClient["wait"] = async <O>(call: string, options: WaitOptions = {}) => {
    const end = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY);
    const result = answer<O>(await waitUntilClosed(connection, call, end, options.signal));
    return options.follow ? successorOf(result, end, options.signal) : result;
  };

  /**
   * [P6] Waits for the call that replaced the requested one after an edit, and follows further edits. The result names
   * the replaced call and the reason for the edit.
   */
  const successorOf = async <O>(
    result: CallResult<O>,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<CallResult<O>> => {
    if (result.kind !== "superseded" || result.successor === undefined) return result;
    const { call, editedBy, reason } = result;
    const next = answer<O>(await waitUntilClosed(connection, result.successor, end, signal));
    const instead = { of: call, ...(editedBy !== undefined && { editedBy }), ...(reason && { reason }) };
    return successorOf({ ...next, instead }, end, signal);
  };

  /** Requests a call or a plan, then waits for as long as the caller allows. */
  const place = async <O>(
    path: string,
    what: object,
    options: CallOptions,
    keyed: boolean,
  ): Promise<CallResult<O>> => {
    const {
      key = crypto.randomUUID(),
      waitMs = 0,
      purpose,
      compressedState,
      session,
      requirements,
      signal,
    } = options;
    const headers = {
      ...(keyed && { "idempotency-key": key }),
      ...(options.correlation !== undefined && { traceparent: createTraceparent(options.correlation) }),
    };
    const begun = performance.now();
    const view = await requestWithRetry<ApiCall>(path, {
      method: "POST",
      headers,
      body: { ...what, purpose, compressedState, session, requirements },
      holdMs: Math.min(waitMs, maxHoldMs),
      signal,
    });
    const left = waitMs - (performance.now() - begun);
    const goesOn = view.outcome
      ? options.follow && view.outcome.kind === "superseded"
      : left > 0 && view.waiting?.for !== "agent";
    if (!goesOn) return answer<O>(view);
    return wait<O>(view.call, {
      timeoutMs: Math.max(0, left),
      ...(options.follow && { follow: true }),
      ...(signal && { signal }),
    });
  };

  return {
    url: connection.url,
    wait,
    call: <O>(capability: string, input: Json | JsonObject, options: CallOptions = {}) =>
      place<O>("/v1/calls", { capability, input }, options, true),
    plan: (document, options = {}) => place<PlanOutput>("/v1/plans", { plan: document }, options, true),
    steps: async (plan) => (await requestWithRetry<ApiPlan>(`/v1/plans/${encodeURIComponent(plan)}`)).steps,
    preview: (request) => requestWithRetry<PreviewResult>("/v1/previews", { method: "POST", body: request }),
    // The server derives the key of an undo from the undone call, so a retry requests the same undo.
    undo: (call, options = {}) => place(`${toCallPath(call)}/undo`, {}, options, false),
    getCall: async <O>(call: string) => answer<O>(await requestWithRetry<ApiCall>(toCallPath(call))),
    events: (call, options = {}) => followEvents(connection, call, options),
    async claim<O>(call: string, claimToken: string) {
      type Answer = { readonly call: ApiCall; readonly perform?: NonNullable<ClaimedCall["perform"]> };
      const request = { method: "POST", body: { claimToken } } as const;
      const { call: view, perform } = await requestWithRetry<Answer>(`${toCallPath(call)}/claim`, request);
      return { result: answer<O>(view), ...(perform && { perform }) };
    },
    async report<O>(call: string, claimToken: string, report: ExecutionReport) {
      const request = { method: "POST", body: { claimToken, ...report } } as const;
      return answer<O>(await requestWithRetry<ApiCall>(`${toCallPath(call)}/report`, request));
    },
    // The client sends a withdrawal only once. A retry would find the call closed and hide that the first request
    // closed it.
    async withdraw(call, reason) {
      const body = { ...(reason !== undefined && { reason }) };
      return answer(await ask<ApiCall>(`${toCallPath(call)}/withdrawal`, { method: "POST", body }));
    },
    receipt: (call) => requestWithRetry<ReceiptBundle>(`${toCallPath(call)}/receipt`),
    keys: async () => (await requestWithRetry<{ keys: PublicKey[] }>("/v1/keys")).keys,
    session: (session, { tokens } = {}) =>
      requestWithRetry<SessionSnapshot>(
        `/v1/sessions/${encodeURIComponent(session)}${tokens === undefined ? "" : `?tokens=${tokens}`}`,
      ).catch((error: unknown) => {
        if (error instanceof ParaphProblem && error.code === "session-unknown") return undefined;
        throw error;
      }),
    async outcomes(filter = {}) {
      const query = new URLSearchParams(filter as Record<string, string>);
      type Answer = { readonly statistics: readonly OutcomeStatistics[] };
      return (await requestWithRetry<Answer>(`/v1/statistics?${query}`)).statistics;
    },
    async capabilities() {
      const all: CapabilitySummary[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        const from: string = after && `&after=${encodeURIComponent(after)}`;
        type Page = { readonly capabilities: readonly CapabilitySummary[]; readonly next?: string };
        const page: Page = await requestWithRetry<Page>(`/v1/capabilities?limit=100${from}`);
        all.push(...page.capabilities);
        after = page.next;
      }
      return all;
    },
    capability: (name) =>
      requestWithRetry<CapabilityContract>(`/v1/capabilities/${encodeURIComponent(name)}`),
  };
}

/**
 * Long-polls the call. The server holds the response until the call closes or awaits `agent`. Retries while the server
 * does not answer.
 */
async function waitUntilClosed(
  connection: ApiConnection,
  call: string,
  end: number,
  signal: AbortSignal | undefined,
): Promise<ApiCall> {
  for (let quick = 0; ; ) {
    const asked = performance.now();
    const left = Math.max(0, end - asked);
    const holdMs = Math.min(left, maxHoldMs);
    const view = await connection
      .request<ApiCall>(toCallPath(call), { holdMs, signal })
      .catch((error: unknown) => {
        if (!(error instanceof ParaphProblem && error.isTransient) || performance.now() >= end) throw error;
        return undefined;
      });
    const now = performance.now();
    if (view && (view.outcome !== undefined || view.waiting?.for === "agent" || now >= end)) return view;
    // Counts consecutive requests that the server answered within one second or not at all. A server that is stopping
    // answers immediately, and a stopped server does not answer. The backoff protects both from a flood of requests.
    quick = view && now - asked > 1_000 ? 0 : quick + 1;
    if (quick > 0) await pause(Math.min(computeBackoffMs(quick - 1), Math.max(0, end - now)), signal);
  }
}

/** Returns a W3C traceparent with this trace id and a random parent id. */
function createTraceparent(trace: string): string {
  return `00-${trace}-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}-01`;
}

function toCallPath(call: string): string {
  return `/v1/calls/${encodeURIComponent(call)}`;
}
