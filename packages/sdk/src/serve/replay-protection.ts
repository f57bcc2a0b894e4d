import { CapabilityError, type ServingRequest } from "@paraph/core";

/**
 * The maximum difference between the clocks of the caller and the service. It also limits the time that a request may
 * travel.
 */
const windowMs = 60_000;
const maxRemembered = 100_000;

/** The options of `createReplayProtection`. */
export interface ReplayProtectionOptions {
  readonly now: () => number;
  /**
   * Stores the nonce until the given time and returns whether it is new. A service that runs in several processes must
   * provide this function.
   */
  readonly rememberNonce?: ((nonce: string, until: number) => Promise<boolean>) | undefined;
}

/**
 * Creates a check that accepts each request at most once and rejects old requests, so that a recorded request cannot be
 * replayed. The check throws on rejection.
 */
export function createReplayProtection({
  now,
  rememberNonce,
}: ReplayProtectionOptions): (asked: ServingRequest) => Promise<void> {
  const isFirst = rememberNonce ?? createNonceMemory(now);
  // Without `rememberNonce`, a restarted process no longer knows the earlier nonces. It therefore rejects requests that
  // were signed before it started.
  const since = rememberNonce ? 0 : now();
  return async ({ at, nonce }) => {
    const behind = now() - at;
    if (Math.abs(behind) > windowMs) throw clockSkewError();
    if (at < since) throw startingError(since - at);
    if (!(await isFirst(nonce, at + windowMs))) throw replayedError();
  };
}

function createNonceMemory(now: () => number): NonNullable<ReplayProtectionOptions["rememberNonce"]> {
  const seen = new Map<string, number>();
  return async (nonce, until) => {
    // The map keeps the order of arrival, which is nearly the order of expiry. The loop therefore stops at the first
    // nonce that has not expired.
    for (const [old, end] of seen) {
      if (end >= now()) break;
      seen.delete(old);
    }
    if (seen.size >= maxRemembered) throw overloadedError();
    if (seen.has(nonce)) return false;
    seen.set(nonce, until);
    return true;
  };
}

const clockSkewError = () =>
  new CapabilityError(
    "not-performed",
    "clock-apart",
    "The clocks of the service and of Paraph differ by more than a minute. Synchronize them.",
  );

const startingError = (ms: number) =>
  new CapabilityError(
    "not-performed",
    "service-starting",
    "The service has just started and cannot accept this request yet. Try again in a moment.",
    {
      retryAfterMs: ms,
    },
  );

const replayedError = () =>
  new CapabilityError(
    "permanent",
    "request-replayed",
    "The service already received this request, so nothing was done.",
  );

const overloadedError = () =>
  new CapabilityError(
    "not-performed",
    "service-busy",
    "The service received too many requests at once. Try again in a moment.",
    {
      retryAfterMs: 1_000,
    },
  );
