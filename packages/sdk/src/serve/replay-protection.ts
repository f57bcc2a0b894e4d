import { CapabilityError, type ServingRequest } from "@paraph/core";

/** How far the two clocks may be apart, which is also how long a request may be under way. */
const windowMs = 60_000;
const maxRemembered = 100_000;

export interface ReplayProtectionOptions {
  readonly now: () => number;
  /** Whether this is the first time anybody here sees it; to be remembered until then. For a service of many processes. */
  readonly rememberNonce?: ((nonce: string, until: number) => Promise<boolean>) | undefined;
}

/** Lets every request through once, and none that is old: what was overheard cannot be sent again. Throws where it refuses. */
export function createReplayProtection({
  now,
  rememberNonce: first,
}: ReplayProtectionOptions): (asked: ServingRequest) => Promise<void> {
  const isFirst = first ?? createNonceMemory(now);
  // A process that has forgotten what it saw takes nothing that was signed before it began.
  const since = first ? 0 : now();
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
    // Kept in the order of arrival, which is nearly that of their end.
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
    "The service's clock and Paraph's are more than a minute apart: set them right.",
  );

const startingError = (ms: number) =>
  new CapabilityError("not-performed", "service-starting", "The service has only just started.", {
    retryAfterMs: ms,
  });

const replayedError = () =>
  new CapabilityError(
    "permanent",
    "request-replayed",
    "The service was asked this before: nothing was done.",
  );

const overloadedError = () =>
  new CapabilityError("not-performed", "service-busy", "The service is asked too much at once.", {
    retryAfterMs: 1_000,
  });
