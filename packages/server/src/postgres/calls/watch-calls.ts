import type { Call, CallRef } from "@paraph/core";
import type { Pool } from "pg";

/** The watch that notifies callers when a call changes. */
export interface CallWatch {
  /**
   * Resolves when the call's epoch is greater than `epoch`, when `ms` have passed, or when the signal aborts. If this
   * process made the change, the promise resolves with the call.
   */
  waitForChange(ref: CallRef, epoch: number, ms: number, signal?: AbortSignal): Promise<Call | undefined>;
  /** Resolves the waiters of a call that this process changed, without waiting for the next poll. */
  notify(call: Call): void;
  stop(): void;
}

interface Waiter extends CallRef {
  readonly epoch: number;
  readonly done: (call?: Call) => void;
  lookAt: number;
  pause: number;
}

const maxRecentCalls = 256;

/** The pause before the first poll for a waiter. A worker needs about 10 ms for a call that need not wait. */
const minPauseMs = 5;
/** From this pause on, a waiter is polled for in a slower rhythm, because there can be thousands of such waiters. */
const slowPauseMs = 25;

/**
 * Creates a watch that polls for all waiters of the process with one query, and only while there are waiters. It polls
 * for new waiters after 5 ms and for older ones less and less often, down to once a second. The watch therefore needs
 * no NOTIFY per call and no query per waiter.
 */
export function watchCalls(sweeper: Pool): CallWatch {
  const waiters = new Map<string, Set<Waiter>>();
  /** The waiters with a short pause, which every tick examines. */
  const young = new Set<Waiter>();
  /**
   * The calls that this process changed recently. They are kept because a caller may start to wait just after the
   * change.
   */
  const recent = new Map<string, Call>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let lookAtAll = 0;

  const listDue = (now: number): Waiter[] => {
    if (now < lookAtAll) return [...young].filter(({ lookAt }) => lookAt <= now);
    lookAtAll = now + slowPauseMs;
    return [...waiters.values()].flatMap((set) => [...set].filter(({ lookAt }) => lookAt <= now));
  };

  const look = async () => {
    const now = performance.now();
    const due = listDue(now).slice(0, 5_000);
    for (const waiter of due) {
      waiter.pause = Math.min(waiter.pause * 1.3, 1_000);
      waiter.lookAt = now + waiter.pause;
      if (waiter.pause >= slowPauseMs) young.delete(waiter);
    }
    if (due.length === 0) return;
    const { rows } = await sweeper.query({
      name: "watch",
      text: `select c.tenant, c.id, c.epoch::int as epoch from unnest($1::text[], $2::text[]) w (tenant, id)
             join paraph.call c on c.tenant = w.tenant and c.id = w.id`,
      values: [due.map(({ tenant }) => tenant), due.map(({ call }) => call)],
    });
    for (const row of rows) {
      for (const waiter of waiters.get(`${row.tenant}/${row.id}`) ?? [])
        if (row.epoch > waiter.epoch) waiter.done();
    }
  };

  const tick = () => {
    if (waiters.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    if (looking) return;
    looking = true;
    // A failed poll is ignored, because a waiter does not need to know that the database is unavailable. A later tick
    // polls again.
    void look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  };

  return {
    waitForChange({ tenant, call }, epoch, ms, signal) {
      const key = `${tenant}/${call}`;
      const moved = recent.get(key);
      if (moved && moved.epoch > epoch) return Promise.resolve(moved);
      if (signal?.aborted) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const done = (now?: Call) => {
          clearTimeout(timeout);
          signal?.removeEventListener("abort", give);
          const set = waiters.get(key);
          set?.delete(waiter);
          young.delete(waiter);
          if (set?.size === 0) waiters.delete(key);
          resolve(now);
        };
        const give = () => done();
        const waiter: Waiter = {
          tenant,
          call,
          epoch,
          done,
          lookAt: performance.now() + minPauseMs,
          pause: minPauseMs,
        };
        const timeout = setTimeout(give, ms);
        signal?.addEventListener("abort", give, { once: true });
        waiters.set(key, (waiters.get(key) ?? new Set()).add(waiter));
        young.add(waiter);
        timer ??= setInterval(tick, minPauseMs);
      });
    },
    notify(call) {
      const key = `${call.tenant}/${call.call}`;
      recent.delete(key);
      recent.set(key, call);
      if (recent.size > maxRecentCalls) recent.delete(recent.keys().next().value ?? "");
      for (const waiter of waiters.get(key) ?? []) waiter.done(call);
    },
    stop() {
      clearInterval(timer);
      for (const set of waiters.values()) for (const waiter of set) waiter.done();
    },
  };
}
