import { countsAsNotBegun, type FencedTransition, type Gate, type Limit } from "@paraph/core";

/**
 * The rows of limits and grants that one opening or transition needs. The batch locks these rows before it touches any
 * call.
 */
export interface GateClaim {
  readonly usage: readonly Pick<CountedLimit, "key" | "windowMs">[];
  readonly grants: readonly string[];
  /** Calls whose reservations end. */
  readonly settling: readonly string[];
  /** Calls that may return a use of a grant. */
  readonly returning: readonly string[];
}

type CountedLimit = Pick<Limit, "kind" | "key" | "windowMs" | "amount"> & Partial<Pick<Limit, "id" | "max">>;

type GatedWrites = Pick<
  FencedTransition,
  "gate" | "intent" | "settle" | "endAttempt" | "state" | "waitFor"
> & {
  call: string;
};

/**
 * Whether the write takes the tenant's gate lock. Freezes, thaws, policy activations and revocations take the same lock
 * exclusively.
 */
export function isGated({ gate, state }: GatedWrites): boolean {
  return gate !== undefined || state === "parked";
}

/**
 * Returns the gate in the form that the SQL functions read. Each limit gets the key of its counter. The principal's own
 * spending is added as a further limit.
 */
export function toGateRow({ limits, spend, ...gate }: Gate) {
  const counted: CountedLimit[] = limits.map((limit) => ({ ...limit, key: toCountKey(limit) }));
  const spending: CountedLimit[] = spend
    ? [{ kind: "money", key: `spent:${spend.principal}`, windowMs: dayMs, amount: spend.amount }]
    : [];
  return { ...gate, limits: [...counted, ...spending] };
}

/** Returns the concurrency limit that the call waits for, with the key of its counter. */
export function toPlaceRow(limit: Limit): Limit {
  return { ...limit, key: toCountKey(limit) };
}

/** Returns the rows that this write claims, or undefined if it claims none. */
export function toGateClaim(verb: "open" | "commit", writes: GatedWrites): GateClaim | undefined {
  const { call, gate, intent, settle, endAttempt, waitFor } = writes;
  const limits = gate ? toGateRow(gate).limits : [];
  const claim: GateClaim = {
    usage: [
      ...limits.filter(({ kind }) => (kind === "calls" ? verb === "open" : intent !== undefined)),
      ...(waitFor ? [toPlaceRow(waitFor)] : []),
    ],
    grants: gate?.grant && intent ? [gate.grant.id] : [],
    settling: settle ? [call] : [],
    returning: countsAsNotBegun(endAttempt?.as) ? [call] : [],
  };
  return Object.values(claim).some((part) => part.length > 0) ? claim : undefined;
}

/** Merges the claims of a batch by tenant, in a fixed order of tenants. */
export function mergeGateClaims(rows: readonly { tenant: string; claim?: GateClaim | undefined }[]) {
  const tenants = [...new Set(rows.filter(({ claim }) => claim).map(({ tenant }) => tenant))].sort();
  return tenants.map((tenant) => {
    const claims = rows.filter((row) => row.tenant === tenant).flatMap(({ claim }) => claim ?? []);
    const usage = new Map(
      claims.flatMap((claim) => claim.usage.map(({ key, windowMs }) => [key, { key, windowMs }])),
    );
    return {
      tenant,
      usage: [...usage.values()],
      grants: claims.flatMap(({ grants }) => grants),
      settling: claims.flatMap(({ settling }) => settling),
      returning: claims.flatMap(({ returning }) => returning),
    };
  });
}

/**
 * Returns the key of a limit's counter. It includes the window, because limits with different windows may have the same
 * key.
 */
export function toCountKey({ kind, windowMs, key }: Pick<Limit, "kind" | "windowMs" | "key">): string {
  return `${kind}:${windowMs}:${key}`;
}

const dayMs = 86_400_000;
