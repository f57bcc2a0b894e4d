import type { Principal } from "@paraph/core";

/** A principal whose admissions wait for their turn. */
export type Requester = Pick<Principal, "tenant" | "id">;

/** Decides which waiting admission of a process starts next. */
export interface AdmissionQueue {
  /** Resolves when the admission may start. Rejects if too many admissions of the principal or the tenant wait. */
  enter(requester: Requester): Promise<Turn>;
}

/** The turn of one admission. */
export interface Turn {
  /** Ends the admission, so that another one of the principal may start. Called once. */
  endAdmission(): void;
  /** Ends the work that followed the admission, so that another one of the tenant may start. Called once. */
  endWork(): void;
}

/** Options of `createAdmissionQueue`. */
export interface AdmissionQueueOptions {
  /** The maximum number of concurrent admissions of a principal. */
  readonly maxPerPrincipal: number;
  readonly maxWaitingPerPrincipal: number;
  readonly maxWaitingPerTenant: number;
  /** Creates the error for a requester that must not wait, because too many others of the same owner do. */
  readonly toError: (owner: "principal" | "tenant") => Error;
  /** Returns a time in milliseconds (default: the time since the process started). */
  readonly now?: () => number;
}

/** A tenant is active for this time after it requested an admission. */
const activeMs = 1_000;
/**
 * A turn is recent for this time. One that takes longer probably waits for an adapter and hardly uses the process, so
 * it does not hold up the next one.
 */
const recentMs = 50;

interface PrincipalQueue {
  running: number;
  readonly waiting: (() => void)[];
}

interface TenantQueue {
  recent: number;
  waiting: number;
  /** The principals with running or waiting admissions, in the order of their turns. */
  readonly principals: Map<string, PrincipalQueue>;
}

/**
 * [TRUST 25] Creates the queue. A tenant that is alone can use the whole process. While another tenant is active, each
 * tenant has one recent turn at most, so that a burst of one tenant's requests hardly delays the others. The principals
 * of a tenant take turns.
 */
export function createAdmissionQueue({
  maxPerPrincipal,
  maxWaitingPerPrincipal,
  maxWaitingPerTenant,
  toError,
  now = () => performance.now(),
}: AdmissionQueueOptions): AdmissionQueue {
  const tenants = new Map<string, TenantQueue>();
  // The tenant that was active last, and the one before it.
  let [last, previous] = [
    { tenant: "", at: -activeMs },
    { tenant: "", at: -activeMs },
  ];
  const recordActivity = (tenant: string) => {
    if (last.tenant !== tenant) previous = last;
    last = { tenant, at: now() };
  };
  const isAlone = (tenant: string) => now() - (last.tenant === tenant ? previous : last).at >= activeMs;

  const startWaiting = (name: string, tenant: TenantQueue) => {
    for (const [id, principal] of tenant.principals) {
      if (tenant.recent > 0 && !isAlone(name)) return;
      if (principal.running >= maxPerPrincipal) continue;
      const start = principal.waiting.shift();
      if (!start) continue;
      principal.running += 1;
      tenant.recent += 1;
      tenant.waiting -= 1;
      // Moves the principal to the end, where this loop meets it again after the others.
      tenant.principals.delete(id);
      tenant.principals.set(id, principal);
      start();
    }
  };

  return {
    async enter({ tenant: name, id }) {
      recordActivity(name);
      const tenant = tenants.get(name) ?? { recent: 0, waiting: 0, principals: new Map() };
      const principal = tenant.principals.get(id) ?? { running: 0, waiting: [] };
      if (principal.waiting.length >= maxWaitingPerPrincipal) throw toError("principal");
      if (tenant.waiting >= maxWaitingPerTenant) throw toError("tenant");
      tenants.set(name, tenant);
      tenant.principals.set(id, principal);
      const deleteTenantIfUnused = () => {
        if (tenant.recent === 0 && tenant.principals.size === 0) tenants.delete(name);
      };

      const started = new Promise<void>((resolve) => principal.waiting.push(resolve));
      tenant.waiting += 1;
      startWaiting(name, tenant);
      await started;

      let isRecent = true;
      const endRecent = () => {
        if (!isRecent) return;
        isRecent = false;
        clearTimeout(timer);
        tenant.recent -= 1;
        startWaiting(name, tenant);
        deleteTenantIfUnused();
      };
      const timer = setTimeout(endRecent, recentMs);
      return {
        endAdmission() {
          principal.running -= 1;
          startWaiting(name, tenant);
          // Only here: when the work ends, the principal may already have a new queue under the same id.
          if (principal.running === 0 && principal.waiting.length === 0) tenant.principals.delete(id);
          deleteTenantIfUnused();
        },
        endWork: endRecent,
      };
    },
  };
}
