import { type Duration, milliseconds } from "../config/duration.ts";
import type { Fault } from "./fault.ts";

/**
 * [P8] The retry policy of a contract. Default: 3 retries, a first wait of 500 ms that doubles up to 30 s, and ±25 %
 * jitter. A contract may choose other values, including 0 retries.
 */
export interface RetryPolicy {
  readonly retries: number;
  readonly firstMs: number;
  readonly factor: number;
  readonly capMs: number;
  readonly jitter: number;
}

/** The retry options of a definition. */
export interface RetryOptions {
  readonly retries?: number;
  readonly first?: Duration;
  readonly factor?: number;
  readonly cap?: Duration;
  /**
   * Chooses the wait before a retry, or stops retrying. The number of retries stays limited by `retries`, and Paraph
   * decides before whether a retry is safe. Undefined stands for the usual wait, which also applies if the function
   * throws an error or returns an invalid duration.
   */
  readonly wait?: RetryStrategy;
}

/** Chooses the wait before a retry. `stop` ends the call with the last fault. */
export type RetryStrategy = (failure: FailedAttempt) => Duration | "stop" | undefined;

/** A failed attempt that Paraph may retry. */
export interface FailedAttempt {
  /** The number of the next retry. The first is 1. */
  readonly retry: number;
  readonly kind: Fault["kind"];
  /** The code of the fault. */
  readonly code: string;
  /** The wait that Paraph would use, in milliseconds, with its jitter. */
  readonly usualWaitMs: number;
}

/** The longest wait that a server or a retry strategy can demand, so that neither can delay a call without end. */
const maxDemandedWaitMs = milliseconds("1h");

/** Returns the retry policy for these options, with defaults for those that are missing. */
export function retryPolicy(options: RetryOptions = {}): RetryPolicy {
  return {
    retries: options.retries ?? 3,
    firstMs: milliseconds(options.first ?? "500ms"),
    factor: options.factor ?? 2,
    capMs: milliseconds(options.cap ?? "30s"),
    jitter: 0.25,
  };
}

/** Returns the wait before retry number `retry` (the first is 1). `chance` is uniform in [0, 1). */
export function retryDelay(policy: RetryPolicy, retry: number, chance: number, retryAfterMs = 0): number {
  const plain = Math.min(policy.capMs, policy.firstMs * policy.factor ** (retry - 1));
  const spread = plain * (1 + policy.jitter * (2 * chance - 1));
  return Math.round(Math.max(spread, Math.min(retryAfterMs, maxDemandedWaitMs)));
}

/** Returns the wait that a strategy chooses, within its bounds, or `stop`. */
export function chooseRetryWait(
  strategy: RetryStrategy | undefined,
  failure: FailedAttempt,
  retryAfterMs = 0,
): number | "stop" {
  const chosen = askStrategy(strategy, failure);
  if (chosen === "stop") return "stop";
  return Math.max(chosen, Math.min(retryAfterMs, maxDemandedWaitMs));
}

function askStrategy(strategy: RetryStrategy | undefined, failure: FailedAttempt): number | "stop" {
  try {
    const chosen = strategy?.(failure);
    if (chosen === "stop") return "stop";
    if (chosen !== undefined) return Math.min(milliseconds(chosen), maxDemandedWaitMs);
  } catch {
    // The usual wait applies. A faulty strategy must not change the outcome of an attempt.
  }
  return failure.usualWaitMs;
}
