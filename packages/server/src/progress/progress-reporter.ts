import { setTimeout as sleep } from "node:timers/promises";
import type { CallRef, Progress } from "@paraph/core";

/** What is written down of an attempt's progress: its last words, and the end of what it put out. */
export interface ProgressRecord {
  readonly attempt: number;
  readonly message?: string;
  readonly fraction?: number;
  readonly output: string;
  /** How much was put out so far, `output` included. */
  readonly putOut: number;
}

export interface ProgressReporterOptions {
  readonly write: (call: CallRef, written: ProgressRecord) => Promise<void>;
  /** At most one write per call in so long: 500 ms unless given. */
  readonly minIntervalMs?: number;
}

export interface ProgressReporter {
  report(call: CallRef, attempt: number, said: Progress): void;
  /** Resolves once nothing is being written any more. */
  stop(): Promise<void>;
}

/** The end of what was put out is kept up to so many characters, a message up to so many. */
const maxOutput = 8_192;
const maxMessageLength = 300;

/** Of so many calls it is known what they said last; of one that was silent for longest it is forgotten. */
const maxCalls = 1_000;

interface PendingProgress {
  written: ProgressRecord;
  isNew: boolean;
  writing: Promise<void> | undefined;
}

/**
 * Passes on what attempts say to who may watch from another process: the first word at once, then what has come together,
 * twice a second. It may be lost and is never waited for: an attempt is not slowed by who watches it.
 */
export function createProgressReporter({
  write,
  minIntervalMs: restMs = 500,
}: ProgressReporterOptions): ProgressReporter {
  const calls = new Map<string, PendingProgress>();
  const stopping = new AbortController();

  const writeWhileNew = async (call: CallRef, kept: PendingProgress): Promise<void> => {
    while (kept.isNew && !stopping.signal.aborted) {
      kept.isNew = false;
      await write(call, kept.written).catch(() => {});
      await sleep(restMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    kept.writing = undefined;
  };

  return {
    report({ tenant, call }, attempt, said) {
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
        said,
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

/** [P9] Whatever a capability says, it is nothing worse than said. */
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

/** PostgreSQL takes no NUL for text. */
function replaceNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
