import type { CallRef, Wake } from "@paraph/core";

/** The segments that this process runs, and the messages that wait for a slot. */
export interface SegmentQueue {
  /**
   * Runs a segment of the call as soon as its time has come and a slot is free. The queue may drop a message, because
   * the sweeper finds every due call.
   */
  push(wake: Wake): void;
  /** Returns the number of free slots. */
  room(): number;
  /** Lists the calls whose segment has run for at least this time. */
  listRunning(forMs: number): readonly CallRef[];
  /** Stops starting segments. Returns the messages that waited for a slot. */
  close(): readonly Wake[];
}

/** Options of `createSegmentQueue`. */
export interface SegmentQueueOptions {
  readonly runSegment: (ref: CallRef) => Promise<readonly Wake[]>;
  /** Sends the messages that a segment returned. */
  readonly send: (wake: Wake) => unknown;
  readonly now: () => number;
  /** Called when a segment fails for the first time, and when the queue gives up. */
  readonly onFailure: (ref: CallRef, error: unknown) => void;
  /** The maximum number of concurrent segments. One tenant can use three quarters of them. */
  readonly maxRunning?: number;
  readonly maxWaiting?: number;
}

interface RunningSegment {
  readonly wake: Wake;
  readonly startedAt: number;
  /** Whether a message arrived during the segment, which may have read the rows before the message's change. */
  isDueAgain: boolean;
}

/** A longer wait has no timer. The sweeper finds the call within a second of its time. */
const maxTimerMs = 10 * 60_000;
const retry = { firstMs: 50, maxMs: 1_000, maxAttempts: 30 };

/**
 * Creates the queue. Each process runs at most one segment of a call at a time. The tenants take turns, so that a
 * tenant with many calls does not delay the others. A segment that fails, for example because PostgreSQL is
 * unavailable, is repeated with growing pauses.
 */
export function createSegmentQueue(options: SegmentQueueOptions): SegmentQueue {
  const { runSegment, send, now, onFailure, maxRunning = 256, maxWaiting = 10_000 } = options;
  const maxPerTenant = Math.ceil(maxRunning * 0.75);
  const waiting = new Map<string, Map<string, Wake>>();
  const running = new Map<string, RunningSegment>();
  const runningByTenant = new Map<string, number>();
  const failures = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let waitingCount = 0;
  let isClosed = false;

  const push = (wake: Wake) => {
    if (isClosed) return;
    const delay = wake.at === undefined ? 0 : wake.at - now();
    if (delay > 0) return startTimer(wake, delay);
    const segment = running.get(toKey(wake));
    if (segment) {
      segment.isDueAgain = true;
      return;
    }
    enqueue(wake);
    startNext();
  };

  const startTimer = ({ at: _, ...wake }: Wake, delay: number) => {
    if (delay > maxTimerMs || timers.size >= maxWaiting) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      push(wake);
    }, delay);
    timers.add(timer.unref());
  };

  const enqueue = (wake: Wake) => {
    const calls = waiting.get(wake.tenant) ?? new Map<string, Wake>();
    if (calls.has(wake.call) || waitingCount >= maxWaiting) return;
    calls.set(wake.call, wake);
    waiting.set(wake.tenant, calls);
    waitingCount += 1;
  };

  const startNext = () => {
    while (!isClosed && running.size < maxRunning) {
      const wake = takeNext();
      if (!wake) return;
      void run(wake);
    }
  };

  /** Takes the oldest message of the tenant whose turn it is. The tenant then goes to the end of the line. */
  const takeNext = (): Wake | undefined => {
    for (const [tenant, calls] of waiting) {
      if ((runningByTenant.get(tenant) ?? 0) >= maxPerTenant) continue;
      const [wake] = calls.values();
      calls.delete(wake!.call);
      waitingCount -= 1;
      waiting.delete(tenant);
      if (calls.size > 0) waiting.set(tenant, calls);
      return wake;
    }
    return undefined;
  };

  const run = async (wake: Wake) => {
    const key = toKey(wake);
    const segment: RunningSegment = { wake, startedAt: performance.now(), isDueAgain: false };
    running.set(key, segment);
    countRunning(wake.tenant, 1);
    try {
      const wakes = await runSegment({ tenant: wake.tenant, call: wake.call });
      failures.delete(key);
      end(key, segment);
      for (const each of wakes) send(each);
    } catch (error) {
      end(key, segment);
      repeat(wake, error);
    }
    startNext();
  };

  const end = (key: string, { wake, isDueAgain }: RunningSegment) => {
    running.delete(key);
    countRunning(wake.tenant, -1);
    if (isDueAgain && !isClosed) enqueue(wake);
  };

  const countRunning = (tenant: string, by: number) => {
    const count = (runningByTenant.get(tenant) ?? 0) + by;
    if (count === 0) runningByTenant.delete(tenant);
    else runningByTenant.set(tenant, count);
  };

  const repeat = (wake: Wake, error: unknown) => {
    if (isClosed) return;
    const key = toKey(wake);
    const attempt = (failures.get(key) ?? 0) + 1;
    if (attempt === 1 || attempt > retry.maxAttempts) onFailure(wake, error);
    if (attempt > retry.maxAttempts) {
      failures.delete(key);
      return;
    }
    failures.set(key, attempt);
    startTimer(wake, Math.min(retry.firstMs * 2 ** (attempt - 1), retry.maxMs));
  };

  return {
    push,
    room: () => (isClosed ? 0 : maxRunning - running.size),
    listRunning(forMs) {
      const latest = performance.now() - forMs;
      return [...running.values()].filter(({ startedAt }) => startedAt <= latest).map(({ wake }) => wake);
    },
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      const left = [...waiting.values()].flatMap((calls) => [...calls.values()]);
      waiting.clear();
      waitingCount = 0;
      return left;
    },
  };
}

const toKey = ({ tenant, call }: CallRef): string => `${tenant}/${call}`;
