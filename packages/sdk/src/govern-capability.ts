import { type Fault, type Json, type JsonObject, toFault } from "@paraph/core";
import type { CallResult } from "./call-result.ts";
import type { CallOptions, ClaimedCall, ExecutionReport, ParaphClient, WaitOptions } from "./client.ts";
import { ParaphProblem } from "./paraph-problem.ts";

/** What `execute` is told besides its input. */
export interface Execution {
  readonly call: string;
  readonly attempt: number;
  /** Aborts shortly before the time to report is over, and with whoever waits: stop then, and leave nothing behind. */
  readonly signal: AbortSignal;
}

/** A capability that this process performs itself, once Paraph has let it through. */
export interface GovernedCapability<I, O> {
  readonly capability: string;
  /** Asks, waits (for ever unless `waitMs` is given), performs exactly what was let through, and reports. */
  call(input: I, options?: CallOptions): Promise<CallResult<O>>;
  /** Goes on with a call that was pending, by its id: in any process that has the code and the key. */
  resume(call: string, options?: Omit<WaitOptions, "follow">): Promise<CallResult<O>>;
}

/** Thrown by `execute`, says that certainly nothing happened. Everything else that it throws may have happened. */
export class NotPerformed extends Error {
  override readonly name = "NotPerformed";
  /** A short word for events and logs. */
  readonly code: string;

  constructor(message: string, code = "not-performed") {
    super(message);
    this.code = code;
  }
}

/**
 * For a capability whose contract says `performer: "agent"`: policy, people, limits and the receipt as for any other, and the
 * effect is this process's own. A crash between taking and reporting ends the call unknown, and people find out.
 */
export function governCapability<I extends Json | JsonObject = JsonObject, O = unknown>(
  client: ParaphClient,
  tool: { readonly capability: string; execute(input: I, about: Execution): Promise<O> | O },
): GovernedCapability<I, O> {
  const { capability } = tool;

  /** Performs the call as soon as it is this process's to perform, and not at all if it never is. */
  const settle = async (result: CallResult<O>, end: number, signal: AbortSignal | undefined) => {
    let here = result;
    while (here.kind === "pending" && here.awaiting.what === "agent") {
      signal?.throwIfAborted();
      const { call, instead } = here;
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
      // Asked about again, frozen, refused, or taken by another process of this agent: what comes of it is waited for.
      const next = await client.wait<O>(call, toWaitOptions(end, signal));
      here = instead && !next.instead ? { ...next, instead } : next;
    }
    return here;
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

/** So long before the deadline the code is stopped, so that there is time to report. */
const maxMarginMs = 2_000;

function toWaitOptions(end: number, signal: AbortSignal | undefined): WaitOptions {
  return { timeoutMs: Math.max(0, end - performance.now()), follow: true, ...(signal && { signal }) };
}

/** Undefined: it moved on between looking and taking. */
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

const staleOfferCodes = new Set(["not-offered", "already-taken", "call-closed"]);

/** What can be said of the effect, whatever the code did: what it threw may have happened, unless it says otherwise. */
async function executeToReport(
  { end, marginMs }: { readonly end: number; readonly marginMs: number },
  signal: AbortSignal | undefined,
  execute: (stop: AbortSignal) => unknown,
): Promise<ExecutionReport> {
  if (signal?.aborted) return { as: "not-performed", code: "aborted", message: "Stopped before it began." };
  const late = AbortSignal.timeout(Math.max(0, Math.floor(end - marginMs - performance.now())));
  const stop = signal ? AbortSignal.any([signal, late]) : late;
  const tooLate = new Promise<ExecutionReport>((resolve) => {
    const report = { as: "ambiguous", code: "timeout", message: "It did not end in time." } as const;
    late.addEventListener("abort", () => resolve(report), { once: true });
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

/** What cannot be written down is withheld, as the contract will say: that it happened is reported all the same. */
function toJson(output: unknown): Json {
  try {
    return (JSON.parse(JSON.stringify(output) ?? "null") ?? null) as Json;
  } catch {
    return null;
  }
}

/** Only this process knows what happened: it is told until somebody has heard it, or the time is over. */
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

/** Longer than a call whose time is over takes to be closed. */
const closeTimeoutMs = 30_000;
