import { type Fault, type Json, type JsonObject, toFault } from "@paraph/core";
import type { CallResult } from "./call-result.ts";
import type { CallOptions, ClaimedCall, ExecutionReport, ParaphClient, WaitOptions } from "./client.ts";
import { ParaphProblem } from "./paraph-problem.ts";

/** The context that `execute` receives in addition to its input. */
export interface Execution {
  readonly call: string;
  readonly attempt: number;
  /**
   * The signal that aborts shortly before the deadline to report, or when the caller's own signal aborts. When it
   * aborts, stop and leave no work running.
   */
  readonly signal: AbortSignal;
}

/** A capability that this process executes itself after Paraph has allowed the call. */
export interface GovernedCapability<I, O> {
  readonly capability: string;
  /**
   * Requests the call, waits for the decision (default: no time limit), executes exactly the approved input, and
   * reports the result.
   */
  call(input: I, options?: CallOptions): Promise<CallResult<O>>;
  /** Resumes a pending call by its id, in any process that has the code and the API key. */
  resume(call: string, options?: Omit<WaitOptions, "follow">): Promise<CallResult<O>>;
}

/**
 * An error that `execute` throws if there was certainly no effect. After any other error, Paraph assumes that the
 * effect may have happened.
 */
export class NotPerformed extends Error {
  override readonly name = "NotPerformed";
  /** A short identifier for events and logs. */
  readonly code: string;

  constructor(message: string, code = "not-performed") {
    super(message);
    this.code = code;
  }
}

/**
 * Wraps a capability whose contract declares `performer: "agent"`. Policy, approvals, limits and the receipt apply as
 * for any other capability, and this process performs the effect. If the process crashes between claim and report, the
 * call closes as unknown and people investigate.
 */
export function governCapability<I extends Json | JsonObject = JsonObject, O = unknown>(
  client: ParaphClient,
  tool: { readonly capability: string; execute(input: I, execution: Execution): Promise<O> | O },
): GovernedCapability<I, O> {
  const { capability } = tool;

  /**
   * Executes the call as soon as this process can claim it. If this process can never claim the call, returns the
   * call's result without executing it.
   */
  const settle = async (result: CallResult<O>, end: number, signal: AbortSignal | undefined) => {
    let callResult = result;
    while (callResult.kind === "pending" && callResult.awaiting.what === "agent") {
      signal?.throwIfAborted();
      const { call, instead } = callResult;
      const claimToken = crypto.randomUUID();
      const asked = performance.now();
      const taken = await claimIfOffered<O>(client, call, claimToken);
      if (taken?.perform) {
        const { attempt, input, withinMs } = taken.perform;
        const time = { end: asked + withinMs, marginMs: Math.min(maxMarginMs, withinMs / 10) };
        const report = await executeToReport(time, signal, (stop) =>
          tool.execute(input as I, { call, attempt, signal: stop }),
        );
        const ended = await sendReport<O>(client, call, claimToken, report, time.end);
        return instead ? { ...ended, instead } : ended;
      }
      // This process could not claim the call. The call has a new approval round, is frozen or refused, or another
      // process of this agent claimed it.
      const next = await client.wait<O>(call, toWaitOptions(end, signal));
      callResult = instead && !next.instead ? { ...next, instead } : next;
    }
    return callResult;
  };

  return {
    capability,
    async call(input, options = {}) {
      const { waitMs = Number.POSITIVE_INFINITY, signal } = options;
      const end = performance.now() + waitMs;
      const first = await client.call<O, I>(capability, input, { ...options, waitMs, follow: true });
      return settle(first, end, signal);
    },
    async resume(call, { timeoutMs = Number.POSITIVE_INFINITY, signal } = {}) {
      const end = performance.now() + timeoutMs;
      return settle(await client.wait<O>(call, toWaitOptions(end, signal)), end, signal);
    },
  };
}

/**
 * The maximum margin before the deadline. The client stops the code early by this margin, so that time remains to
 * report.
 */
const maxMarginMs = 2_000;

function toWaitOptions(end: number, signal: AbortSignal | undefined): WaitOptions {
  return { timeoutMs: Math.max(0, end - performance.now()), follow: true, ...(signal && { signal }) };
}

/** Claims the call. Returns undefined if its state changed before the claim. */
async function claimIfOffered<O>(
  client: ParaphClient,
  call: string,
  claimToken: string,
): Promise<ClaimedCall<O> | undefined> {
  try {
    return await client.claim<O>(call, claimToken);
  } catch (error) {
    if (error instanceof ParaphProblem && staleOfferCodes.has(error.code)) return undefined;
    throw error;
  }
}

const staleOfferCodes = new Set(["not-offered", "already-claimed", "call-closed"]);

/** Executes the code and reports its effect. An error counts as ambiguous unless it states that there was no effect. */
async function executeToReport(
  { end, marginMs }: { readonly end: number; readonly marginMs: number },
  signal: AbortSignal | undefined,
  execute: (stop: AbortSignal) => unknown,
): Promise<ExecutionReport> {
  if (signal?.aborted)
    return { as: "not-performed", code: "aborted", message: "The call was stopped before it began." };
  const abortSignal = AbortSignal.timeout(Math.max(0, Math.floor(end - marginMs - performance.now())));
  const stop = signal ? AbortSignal.any([signal, abortSignal]) : abortSignal;
  const tooLate = new Promise<ExecutionReport>((resolve) => {
    const report = {
      as: "ambiguous",
      code: "timeout",
      message: "The code did not finish before the deadline.",
    } as const;
    abortSignal.addEventListener("abort", () => resolve(report), { once: true });
  });
  const run = async (): Promise<ExecutionReport> => {
    try {
      return { as: "succeeded", output: toJson(await execute(stop)) };
    } catch (error) {
      return toFailureReport(error);
    }
  };
  return Promise.race([run(), tooLate]);
}

function toFailureReport(error: unknown): ExecutionReport {
  if (error instanceof NotPerformed)
    return {
      as: "not-performed",
      code: error.code.slice(0, maxCodeLength),
      message: error.message.slice(0, maxMessageLength),
    };
  const { kind, code, message }: Fault = toFault(error);
  return { as: kind === "not-performed" ? kind : "ambiguous", code, message };
}

const maxCodeLength = 48;
const maxMessageLength = 10_000;

/**
 * Returns null if the output cannot be serialized. Paraph then withholds the output, but still learns that the effect
 * happened.
 */
function toJson(output: unknown): Json {
  try {
    return (JSON.parse(JSON.stringify(output) ?? "null") ?? null) as Json;
  } catch {
    return null;
  }
}

/** Sends the report until the server accepts it or the time is over, because only this process knows the result. */
async function sendReport<O>(
  client: ParaphClient,
  call: string,
  claimToken: string,
  report: ExecutionReport,
  end: number,
): Promise<CallResult<O>> {
  for (;;) {
    try {
      return await client.report<O>(call, claimToken, report);
    } catch (error) {
      if (!(error instanceof ParaphProblem)) throw error;
      if (error.code === "report-late") return client.wait<O>(call, { timeoutMs: closeTimeoutMs });
      if (!error.isTransient || performance.now() >= end) throw error;
    }
  }
}

/**
 * The time to wait for a call to close after a late report. It is longer than Paraph takes to close a call whose
 * deadline has passed.
 */
const closeTimeoutMs = 30_000;
