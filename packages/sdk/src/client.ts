import type { Json, JsonObject, PublicKey, ReceiptBundle, Requirements, Session } from "@paraph/core";
import { bodyOf, type Connection, type ConnectionOptions, connectionTo, type Request } from "./connection.ts";
import { type EventsOptions, follow } from "./events.ts";
import { ParaphProblem } from "./paraph-problem.ts";
import { pause, pauseBefore } from "./pause.ts";
import { type CallResult, resultOf } from "./result.ts";
import type { CallEvent, CallView, CapabilityContract, CapabilitySummary } from "./view.ts";

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

export interface Client {
  readonly url: string;
  /** Asks for a capability to be used. A refusal is an answer; what is not a call at all throws a ParaphProblem. */
  call<O = unknown, I extends Json | JsonObject = JsonObject>(
    capability: string,
    input: I,
    options?: CallOptions,
  ): Promise<CallResult<O>>;
  /** How a call ended, or that it is still pending when the time is over. Outlives restarts of the server. */
  wait<O = unknown>(call: string, options?: WaitOptions): Promise<CallResult<O>>;
  /** How a call stands now. */
  look<O = unknown>(call: string): Promise<CallResult<O>>;
  /** What happens to a call, as it happens, to its end. */
  events(call: string, options?: EventsOptions): AsyncGenerator<CallEvent, void, void>;
  /** Takes a call back before it acts. */
  withdraw(call: string, reason?: string): Promise<CallResult>;
  /** The signed receipt of a closed call; `verify` needs it and a key you trust, and no network. */
  receipt(call: string): Promise<ReceiptBundle>;
  /** The public keys that this server signs with. To trust them, compare them once with those you got another way. */
  keys(): Promise<readonly PublicKey[]>;
  capabilities(): Promise<readonly CapabilitySummary[]>;
  capability(name: string): Promise<CapabilityContract>;
}

/** How long a short interruption is bridged where nothing else is said. */
const patienceMs = 10_000;
const longestHoldMs = 60_000;

/** Speaks with one Paraph as one agent. Holds nothing: any other client with the same key sees the same calls. */
export function createClient(options: ConnectionOptions): Client {
  const connection = connectionTo(options);
  const get = async <T>(path: string): Promise<T> =>
    bodyOf<T>(connection, await connection.insist(path, {}, patienceMs));
  const post = async (path: string, request: Request): Promise<CallView> =>
    bodyOf<CallView>(connection, await connection.insist(path, { method: "POST", ...request }, patienceMs));

  const answer = async <O>(view: CallView): Promise<CallResult<O>> =>
    resultOf<O>(
      view,
      connection.url,
      view.outcome?.kind === "superseded" ? await closing(view.call) : undefined,
    );
  const closing = async (call: string) =>
    (await get<{ events: CallEvent[] }>(`${pathOf(call)}/events`)).events.at(-1);

  const wait: Client["wait"] = async <O>(call: string, options: WaitOptions = {}) => {
    const end = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY);
    const result = await answer<O>(await untilClosed(connection, call, end, options.signal));
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
    const next = await answer<O>(await untilClosed(connection, result.successor, end, signal));
    const instead = { of: call, ...(editedBy !== undefined && { editedBy }), ...(reason && { reason }) };
    return successorOf({ ...next, instead }, end, signal);
  };

  return {
    url: connection.url,
    wait,
    async call<O>(capability: string, input: Json | JsonObject, options: CallOptions = {}) {
      const { key = crypto.randomUUID(), waitMs = 0, purpose, session, requirements, signal } = options;
      const begun = performance.now();
      const view = await post("/v1/calls", {
        headers: { "idempotency-key": key },
        body: { capability, input, purpose, session, requirements },
        holdMs: Math.min(waitMs, longestHoldMs),
        signal,
      });
      const left = waitMs - (performance.now() - begun);
      const isOver = view.outcome !== undefined && !(options.follow && view.outcome.kind === "superseded");
      if (isOver || left <= 0) return answer<O>(view);
      return wait<O>(view.call, {
        timeoutMs: left,
        ...(options.follow && { follow: true }),
        ...(signal && { signal }),
      });
    },
    look: async <O>(call: string) => answer<O>(await get<CallView>(pathOf(call))),
    events: (call, options = {}) => follow(connection, call, options),
    withdraw: async (call, reason) =>
      answer(await post(`${pathOf(call)}/withdrawal`, { body: { ...(reason !== undefined && { reason }) } })),
    receipt: (call) => get<ReceiptBundle>(`${pathOf(call)}/receipt`),
    keys: async () => (await get<{ keys: PublicKey[] }>("/v1/keys")).keys,
    capabilities: async () =>
      (await get<{ capabilities: CapabilitySummary[] }>("/v1/capabilities")).capabilities,
    capability: (name) => get<CapabilityContract>(`/v1/capabilities/${encodeURIComponent(name)}`),
  };
}

/** Long polling: the server holds the answer back until the call is closed. While nobody answers, asks again. */
async function untilClosed(
  connection: Connection,
  call: string,
  end: number,
  signal: AbortSignal | undefined,
): Promise<CallView> {
  for (let quick = 0; ; ) {
    const asked = performance.now();
    const left = Math.max(0, end - asked);
    const holdMs = Math.min(left, longestHoldMs);
    const view = await connection
      .send(pathOf(call), { holdMs, signal })
      .then((response) => bodyOf<CallView>(connection, response))
      .catch((error: unknown) => {
        if (!(error instanceof ParaphProblem && error.passing) || performance.now() >= end) throw error;
        return undefined;
      });
    const now = performance.now();
    if (view && (view.outcome !== undefined || now >= end)) return view;
    // A server that is about to stop answers at once, and one that is gone not at all: neither is to be hammered.
    quick = view && now - asked > 1_000 ? 0 : quick + 1;
    if (quick > 0) await pause(Math.min(pauseBefore(quick - 1), Math.max(0, end - now)), signal);
  }
}

function pathOf(call: string): string {
  return `/v1/calls/${encodeURIComponent(call)}`;
}
