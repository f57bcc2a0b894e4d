import { type CallRef, maxTimeoutMs } from "@paraph/core";
import type { Log } from "../telemetry/index.ts";

/** The segments that run in this process, so that it can finish them before it ends. */
export interface Segments {
  /** Throws `stopping` once the process drains: another process runs the segment. */
  run<T>(ref: CallRef, body: () => Promise<T>): Promise<T>;
  readonly draining: boolean;
  /** Takes no new segments. */
  close(): void;
  /** Waits for those that run, up to the maximum. Tells whether all have ended. */
  drain(): Promise<boolean>;
}

const reportEveryMs = 5_000;
const maxReported = 20;
const writeMarginMs = 30_000;

/**
 * A process that ended in the middle of an attempt would leave its effect in doubt. Every attempt has a deadline, so waiting for
 * the longest one, and for its record to be written, is enough.
 */
export function createSegments(log: Log, maxDrainMs = maxTimeoutMs + writeMarginMs): Segments {
  const running = new Map<Promise<unknown>, CallRef>();
  let draining = false;
  /** One line per call, so that an operator sees what the process waits for. */
  const report = (code: string) => {
    for (const { tenant, call } of [...running.values()].slice(0, maxReported))
      log("warn", code, { tenant, call, count: running.size });
  };
  return {
    async run(ref, body) {
      if (draining)
        throw Object.assign(new Error("the process is stopping: another one runs the segment"), {
          code: "stopping",
        });
      const run = body();
      running.set(run, ref);
      try {
        return await run;
      } finally {
        running.delete(run);
      }
    },
    get draining() {
      return draining;
    },
    close() {
      draining = true;
    },
    async drain() {
      draining = true;
      if (running.size === 0) return true;
      report("draining");
      const reporting = setInterval(() => report("draining"), reportEveryMs);
      let over: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        over = setTimeout(resolve, maxDrainMs);
      });
      const ended = (async () => {
        while (running.size > 0) await Promise.allSettled(running.keys());
      })();
      await Promise.race([ended, late]);
      clearInterval(reporting);
      clearTimeout(over);
      if (running.size === 0) log("info", "drained", {});
      else report("drain-abandoned");
      return running.size === 0;
    },
  };
}
