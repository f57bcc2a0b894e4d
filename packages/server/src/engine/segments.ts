import { type CallRef, maxTimeoutMs } from "@paraph/core";
import type { Log } from "../telemetry/index.ts";

/** A registry of the segments that run in this process. It lets the process finish them before it exits. */
export interface Segments {
  /** Runs a segment. Throws `stopping` if the process is draining. Another process then runs the segment. */
  run<T>(ref: CallRef, body: () => Promise<T>): Promise<T>;
  readonly draining: boolean;
  /** Stops accepting new segments. */
  close(): void;
  /** Waits for the running segments, up to the maximum time. Returns whether all segments have ended. */
  drain(): Promise<boolean>;
}

const reportEveryMs = 5_000;
const maxReported = 20;
const writeMarginMs = 30_000;

/**
 * Creates the registry of running segments. A process must not exit during an attempt, because the effect of the
 * attempt would then be unknown. Every attempt has a deadline, so a drain waits at most for the longest attempt and the
 * write of its record.
 */
export function createSegments(log: Log, maxDrainMs = maxTimeoutMs + writeMarginMs): Segments {
  const running = new Map<Promise<unknown>, CallRef>();
  let draining = false;
  /** Logs one line per call, so that an operator sees what the process waits for. */
  const report = (code: string) => {
    for (const { tenant, call } of [...running.values()].slice(0, maxReported))
      log("warn", code, { tenant, call, count: running.size });
  };
  return {
    async run(ref, body) {
      if (draining)
        throw Object.assign(new Error("the process is stopping, so another process runs the segment"), {
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
