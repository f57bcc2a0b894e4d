import { ParaphError, type Principal } from "@paraph/core";
import { z } from "zod";
import { createAdmissionQueue } from "./admission-queue.ts";

/**
 * The limits on one principal's use of one API process. In contrast, `limits` apply to the whole deployment and are
 * counted in PostgreSQL.
 */
export interface Budgets {
  /** The maximum number of calls of a principal per minute. */
  readonly callsPerMinute: number;
  /** The maximum number of requests of a principal per minute. */
  readonly requestsPerMinute: number;
  /** The maximum number of concurrent previews and reads of a principal. */
  readonly concurrentPreviews: number;
  /** The maximum number of waiting calls, previews and reads of a tenant. */
  readonly waitingPerTenant: number;
  /** The maximum number of open event streams of a principal. */
  readonly streams: number;
  /** The maximum number of open event streams of all principals. */
  readonly totalStreams: number;
}

/** The budgets that apply unless the configuration sets others. */
export const defaultBudgets: Budgets = {
  callsPerMinute: 1_200,
  requestsPerMinute: 6_000,
  concurrentPreviews: 16,
  waitingPerTenant: 256,
  streams: 32,
  totalStreams: 1_000,
};

/**
 * The maximum number of a principal's previews and reads that may wait, per slot of `concurrentPreviews`. With 16
 * slots, 192 may wait.
 */
const maxWaitingPerSlot = 12;
const minuteMs = 60_000;
const retryAfterMs = 5_000;

const createBudgetSchema = (name: keyof Budgets, description: string) =>
  z.int().positive().optional().describe(`${description} (default: ${defaultBudgets[name]}).`);
/** The schema of the configuration's `budgets`. */
export const budgetsSchema = z.strictObject({
  callsPerMinute: createBudgetSchema(
    "callsPerMinute",
    "The maximum number of calls, plans, previews and undos that a principal may request per minute",
  ),
  requestsPerMinute: createBudgetSchema(
    "requestsPerMinute",
    "The maximum number of authenticated requests of any kind that a principal may send per minute",
  ),
  concurrentPreviews: createBudgetSchema(
    "concurrentPreviews",
    `The maximum number of previews and reads that run concurrently for a principal. Up to ${maxWaitingPerSlot} times as many wait in a queue`,
  ),
  waitingPerTenant: createBudgetSchema(
    "waitingPerTenant",
    "The maximum number of calls, previews and reads of a tenant that wait in a queue",
  ),
  streams: createBudgetSchema(
    "streams",
    "The maximum number of event streams that a principal may keep open",
  ),
  totalStreams: createBudgetSchema(
    "totalStreams",
    "The maximum number of open event streams of all principals together",
  ),
} satisfies Record<keyof Budgets, z.ZodType>);

type PrincipalRef = Pick<Principal, "tenant" | "id">;

/**
 * The counters of budgets. Each method throws `limit-reached` if a budget is exceeded. The error states the budget, its
 * limit and the time to retry.
 */
export interface BudgetKeeper {
  countRequest(principal: PrincipalRef): void;
  /**
   * Counts a call and runs its admission when it is its turn. The turn includes the work that `body` adds, which may
   * take longer than the admission.
   */
  admit<T>(
    principal: PrincipalRef,
    body: (addWork: (work: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T>;
  /** Reserves a slot for a stream and returns the function that releases it. A second release has no effect. */
  openStream(principal: PrincipalRef): () => void;
}

/** [TRUST 25] Creates the counters that keep one principal from using up a whole process, by intent or by mistake. */
export function createBudgetKeeper(given: Partial<Budgets> | undefined, now: () => number): BudgetKeeper {
  const budgets = { ...defaultBudgets, ...given };
  const perMinute = (name: "callsPerMinute" | "requestsPerMinute", what: string) => {
    const max = budgets[name];
    let minute = 0;
    const counts = new Map<string, number>();
    return (who: PrincipalRef) => {
      const current = Math.floor(now() / minuteMs);
      if (current !== minute) counts.clear();
      minute = current;
      const taken = counts.get(toPrincipalKey(who)) ?? 0;
      if (taken >= max) throw budgetExceeded(name, max, `${what} per minute`, (current + 1) * minuteMs);
      counts.set(toPrincipalKey(who), taken + 1);
    };
  };
  const countCall = perMinute("callsPerMinute", "calls");
  const streams = new Map<string, number>();
  let allStreams = 0;
  const maxWaitingPerPrincipal = budgets.concurrentPreviews * maxWaitingPerSlot;
  const queue = createAdmissionQueue({
    maxPerPrincipal: budgets.concurrentPreviews,
    maxWaitingPerPrincipal,
    maxWaitingPerTenant: budgets.waitingPerTenant,
    toError: (owner) =>
      owner === "tenant"
        ? budgetExceeded(
            "waitingPerTenant",
            budgets.waitingPerTenant,
            "waiting calls of a tenant",
            now() + retryAfterMs,
          )
        : budgetExceeded(
            "concurrentPreviews",
            maxWaitingPerPrincipal,
            "waiting previews and reads",
            now() + retryAfterMs,
          ),
  });

  return {
    countRequest: perMinute("requestsPerMinute", "requests"),
    async admit(who, body) {
      countCall(who);
      const turn = await queue.enter(who);
      const work: Promise<unknown>[] = [];
      try {
        return await body((more) => work.push(more));
      } finally {
        turn.endAdmission();
        void Promise.allSettled(work).then(turn.endWork);
      }
    },
    openStream(who) {
      const key = toPrincipalKey(who);
      const own = streams.get(key) ?? 0;
      if (own >= budgets.streams)
        throw budgetExceeded("streams", budgets.streams, "open streams", now() + retryAfterMs);
      if (allStreams >= budgets.totalStreams)
        throw budgetExceeded(
          "totalStreams",
          budgets.totalStreams,
          "open streams in total",
          now() + retryAfterMs,
        );
      streams.set(key, own + 1);
      allStreams += 1;
      return once(() => {
        allStreams -= 1;
        const left = (streams.get(key) ?? 1) - 1;
        if (left > 0) streams.set(key, left);
        else streams.delete(key);
      });
    },
  };
}

function budgetExceeded(budget: keyof Budgets, max: number, what: string, retryAt: number): ParaphError {
  const message = `The limit of ${max} ${what} is reached (\`budgets.${budget}\`). Try again later, or ask an operator to raise it.`;
  return new ParaphError("limit-reached", message, retryAt, budget);
}

const toPrincipalKey = ({ tenant, id }: PrincipalRef) => `${tenant}/${id}`;

function once(body: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    body();
  };
}
