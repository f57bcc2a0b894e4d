import type {
  Json,
  JsonObject,
  OutcomeKind,
  PlanRequest,
  PublicKey,
  ReceiptBundle,
  Requirements,
  Session,
  ToolChain,
} from "@paraph/core";
import type {
  ApiCall,
  ApiPlan,
  CallEvent,
  CapabilityContract,
  CapabilitySummary,
  PlanStep,
  PreviewResult,
} from "./api-views.ts";
import { type CallResult, toCallResult } from "./call-result.ts";
import { type ApiConnection, type ClientOptions, createConnection } from "./connection.ts";
import { type EventsOptions, followEvents } from "./events.ts";
import { ParaphProblem } from "./paraph-problem.ts";
import { computeBackoffMs, pause } from "./pause.ts";

export interface CallOptions {
  /**
   * Your own name for this call: asked twice, it happens once. Keep one that survives you, and you can come back for
   * the answer after a crash. Unless given, one is made up, which still lets this call be sent again safely.
   */
  readonly key?: string;
  /** How long to wait for the end; what is still open then is answered as `pending`. None unless given. */
  readonly waitMs?: number;
  /** What it is for: shown to approvers as your words, never believed. */
  readonly purpose?: string;
  /** Your own ids for what groups your calls. */
  readonly session?: Session;
  /** What you demand beyond policy: it can tighten and never loosen. */
  readonly requirements?: Requirements;
  /** Where a person edits the call, go on with what they made of it. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export interface WaitOptions {
  /** For ever unless given: people take their time. */
  readonly timeoutMs?: number;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

export interface ParaphClient {
  readonly url: string;
  /** Asks for a capability to be used. A refusal is an answer; what is not a call at all throws a ParaphProblem. */
  call<O = unknown, I extends Json | JsonObject = JsonObject>(
    capability: string,
    input: I,
    options?: CallOptions,
  ): Promise<CallResult<O>>;
  /** How a call ended, or that it is pending: the time is over, or it awaits `agent`. Outlives restarts of the server. */
  wait<O = unknown>(call: string, options?: WaitOptions): Promise<CallResult<O>>;
  /** How a call stands now. */
  getCall<O = unknown>(call: string): Promise<CallResult<O>>;
  /** What happens to a call, as it happens, to its end. */
  events(call: string, options?: EventsOptions): AsyncGenerator<CallEvent, void, void>;
  /** Takes a call that awaits `agent`, to perform it yourself; `governed` does all of it. Sent again with the same ticket, it is the same taking. */
  claim<O = unknown>(call: string, claimToken: string): Promise<ClaimedCall<O>>;
  /** Says what came of a call that was taken with this ticket. The same report twice is one. */
  report<O = unknown>(call: string, claimToken: string, report: ExecutionReport): Promise<CallResult<O>>;
  /** Asks for several steps as one: a plan's document, or a tool chain. Its output names each step's call and outcome. */
  plan(document: PlanRequest | ToolChain, options?: CallOptions): Promise<CallResult<PlanOutput>>;
  /** A plan's steps as they stand: what was shown of each, its call, whether it was declined or skipped. */
  steps(plan: string): Promise<readonly PlanStep[]>;
  /** What a call or a plan would change, and what policy would say of it. Nothing is written, nobody is asked. */
  preview(wanted: PreviewRequest): Promise<PreviewResult>;
  /** Takes back what a call or a plan did, as a call of its own; throws `no-undo` with the reason where there is no way. */
  undo(
    call: string,
    options?: Pick<CallOptions, "waitMs" | "purpose" | "requirements" | "signal">,
  ): Promise<CallResult>;
  /** Takes a call back before it acts. */
  withdraw(call: string, reason?: string): Promise<CallResult>;
  /** The signed receipt of a closed call; `verify` needs it and a key you trust, and no network. */
  receipt(call: string): Promise<ReceiptBundle>;
  /** The public keys that this server signs with. To trust them, compare them once with those you got another way. */
  keys(): Promise<readonly PublicKey[]>;
  capabilities(): Promise<readonly CapabilitySummary[]>;
  capability(name: string): Promise<CapabilityContract>;
}

/** A capability and its input, or a plan. */
export type PreviewRequest = { readonly requirements?: Requirements } & (
  | { readonly capability: string; readonly input: Json | JsonObject }
  | { readonly plan: PlanRequest | ToolChain }
);

/** What a plan that succeeded puts out. */
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

/** What is to be performed now; where that is missing, nothing: the result says how the call stands. */
export interface ClaimedCall<O = unknown> {
  readonly result: CallResult<O>;
  readonly perform?: {
    readonly attempt: number;
    readonly deadline: string;
    /** How long that is from now: what is not reported by then ends unknown. */
    readonly withinMs: number;
    /** Exactly what was let through: a person may have edited it. */
    readonly input: Json;
  };
}

/** `not-performed`: certainly nothing happened; `ambiguous`: it may have happened, and people find out. */
export type ExecutionReport =
  | { readonly as: "succeeded"; readonly output: Json }
  | { readonly as: "not-performed" | "ambiguous"; readonly code?: string; readonly message?: string };

const maxHoldMs = 60_000;

/** Speaks with one Paraph as one agent. Holds nothing: any other client with the same key sees the same calls. */
export function createClient(options: ClientOptions): ParaphClient {
  const connection = createConnection(options);
  const { request: ask, requestWithRetry: insist } = connection;
  const answer = <O>(view: ApiCall): CallResult<O> => toCallResult<O>(view, connection.url);

  const wait: ParaphClient["wait"] = async <O>(call: string, options: WaitOptions = {}) => {
    const end = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY);
    const result = answer<O>(await waitUntilClosed(connection, call, end, options.signal));
    return options.follow ? successorOf(result, end, options.signal) : result;
  };

  /** [P6] What a person made of the call is what happens: the result says what was asked for first, and why it changed. */
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

  /** Something new is asked for, and waited for as long as the caller likes. */
  const place = async <O>(
    path: string,
    what: object,
    options: CallOptions,
    keyed: boolean,
  ): Promise<CallResult<O>> => {
    const { key = crypto.randomUUID(), waitMs = 0, purpose, session, requirements, signal } = options;
    const begun = performance.now();
    const view = await insist<ApiCall>(path, {
      method: "POST",
      ...(keyed && { headers: { "idempotency-key": key } }),
      body: { ...what, purpose, session, requirements },
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
    steps: async (plan) => (await insist<ApiPlan>(`/v1/plans/${encodeURIComponent(plan)}`)).steps,
    preview: (wanted) => insist<PreviewResult>("/v1/previews", { method: "POST", body: wanted }),
    // The server names it after the call it takes back: sent again, it is the same one.
    undo: (call, options = {}) => place(`${toCallPath(call)}/undo`, {}, options, false),
    getCall: async <O>(call: string) => answer<O>(await insist<ApiCall>(toCallPath(call))),
    events: (call, options = {}) => followEvents(connection, call, options),
    async claim<O>(call: string, claimToken: string) {
      type Answer = { readonly call: ApiCall; readonly perform?: NonNullable<ClaimedCall["perform"]> };
      const request = { method: "POST", body: { claimToken } } as const;
      const { call: view, perform } = await insist<Answer>(`${toCallPath(call)}/take`, request);
      return { result: answer<O>(view), ...(perform && { perform }) };
    },
    async report<O>(call: string, claimToken: string, report: ExecutionReport) {
      const request = { method: "POST", body: { claimToken, ...report } } as const;
      return answer<O>(await insist<ApiCall>(`${toCallPath(call)}/report`, request));
    },
    // Sent once: a second would find the call closed and hide that it was this one who closed it.
    async withdraw(call, reason) {
      const body = { ...(reason !== undefined && { reason }) };
      return answer(await ask<ApiCall>(`${toCallPath(call)}/withdrawal`, { method: "POST", body }));
    },
    receipt: (call) => insist<ReceiptBundle>(`${toCallPath(call)}/receipt`),
    keys: async () => (await insist<{ keys: PublicKey[] }>("/v1/keys")).keys,
    async capabilities() {
      const all: CapabilitySummary[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        const from: string = after && `&after=${encodeURIComponent(after)}`;
        type Page = { readonly capabilities: readonly CapabilitySummary[]; readonly next?: string };
        const page: Page = await insist<Page>(`/v1/capabilities?limit=100${from}`);
        all.push(...page.capabilities);
        after = page.next;
      }
      return all;
    },
    capability: (name) => insist<CapabilityContract>(`/v1/capabilities/${encodeURIComponent(name)}`),
  };
}

/** Long polling: the server holds the answer back until the call is closed, or the asker's to perform. While nobody answers, asks again. */
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
    // A server that is about to stop answers at once, and one that is gone not at all: neither is to be hammered.
    quick = view && now - asked > 1_000 ? 0 : quick + 1;
    if (quick > 0) await pause(Math.min(computeBackoffMs(quick - 1), Math.max(0, end - now)), signal);
  }
}

function toCallPath(call: string): string {
  return `/v1/calls/${encodeURIComponent(call)}`;
}
