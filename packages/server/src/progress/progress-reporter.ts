import { setTimeout as sleep } from "node:timers/promises";
import type { CallRef, Progress } from "@paraph/core";

/** The stored progress of an attempt: its last message and the end of its output. */
export interface ProgressRecord {
  readonly attempt: number;
  readonly message?: string;
  readonly fraction?: number;
  readonly output: string;
  /** The length of the whole output so far. `output` holds only the end of it. */
  readonly putOut: number;
}

/** The options of `createProgressReporter`. */
export interface ProgressReporterOptions {
  readonly write: (call: CallRef, written: ProgressRecord) => Promise<void>;
  /** The minimum interval between two writes for a call (default: 500 ms). */
  readonly minIntervalMs?: number;
}

/** The reporter of attempts' progress. */
export interface ProgressReporter {
  report(call: CallRef, attempt: number, progress: Progress): void;
  /** Stops the reporter. Resolves when no write is running. */
  stop(): Promise<void>;
}

/** The maximum length of the kept output, in characters. Longer output loses its beginning. */
const maxOutput = 8_192;
const maxMessageLength = 300;

/**
 * The maximum number of calls whose progress is kept. Beyond it, the reporter drops the call whose last report is the
 * oldest.
 */
const maxCalls = 1_000;

interface PendingProgress {
  written: ProgressRecord;
  isNew: boolean;
  writing: Promise<void> | undefined;
}

/**
 * Creates the reporter that stores attempts' progress for readers in other processes. It writes the first report
 * immediately. It merges later reports and writes them at most twice a second. Reports may be lost, and an attempt
 * never waits for them.
 */
export function createProgressReporter({
  write,
  minIntervalMs = 500,
}: ProgressReporterOptions): ProgressReporter {
  const calls = new Map<string, PendingProgress>();
  const stopping = new AbortController();

  const writeWhileNew = async (call: CallRef, kept: PendingProgress): Promise<void> => {
    while (kept.isNew && !stopping.signal.aborted) {
      kept.isNew = false;
      await write(call, kept.written).catch(() => {});
      await sleep(minIntervalMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    kept.writing = undefined;
  };

  return {
    report({ tenant, call }, attempt, progress) {
      if (stopping.signal.aborted) return;
      const key = `${tenant}/${call}`;
      const kept = calls.get(key) ?? {
        written: createProgressRecord(attempt),
        isNew: false,
        writing: undefined,
      };
      calls.delete(key);
      calls.set(key, kept);
      if (calls.size > maxCalls) calls.delete(calls.keys().next().value ?? "");
      kept.written = mergeProgress(
        kept.written.attempt === attempt ? kept.written : createProgressRecord(attempt),
        progress,
      );
      kept.isNew = true;
      kept.writing ??= writeWhileNew({ tenant, call }, kept);
    },
    async stop() {
      stopping.abort();
      await Promise.all([...calls.values()].map(({ writing }) => writing));
    },
  };
}

function createProgressRecord(attempt: number): ProgressRecord {
  return { attempt, output: "", putOut: 0 };
}

/** [P9] Merges a report. It drops invalid values, so that a capability cannot cause harm through its reports. */
function mergeProgress(before: ProgressRecord, { message, fraction, output }: Progress): ProgressRecord {
  const added = typeof output === "string" ? replaceNul(output) : "";
  return {
    ...before,
    ...(typeof message === "string" && { message: replaceNul(message).slice(0, maxMessageLength) }),
    ...(typeof fraction === "number" && fraction >= 0 && fraction <= 1 && { fraction }),
    output: (before.output + added).slice(-maxOutput),
    putOut: before.putOut + added.length,
  };
}

/** Replaces NUL, which PostgreSQL does not accept in text. */
function replaceNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
