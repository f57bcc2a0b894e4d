import { type Duration, milliseconds } from "../config/duration.ts";

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
}

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

/**
 * Returns the wait before retry number `retry` (the first is 1). `chance` is uniform in [0, 1). A `Retry-After` can
 * raise the wait to at most an hour, so that a server cannot delay a call without end.
 */
export function retryDelay(policy: RetryPolicy, retry: number, chance: number, retryAfterMs = 0): number {
  const plain = Math.min(policy.capMs, policy.firstMs * policy.factor ** (retry - 1));
  const spread = plain * (1 + policy.jitter * (2 * chance - 1));
  return Math.round(Math.max(spread, Math.min(retryAfterMs, 3_600_000)));
}
