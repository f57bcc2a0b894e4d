import { setTimeout as sleep } from "node:timers/promises";
import type { CallRef, Progress } from "@paraph/core";

/** What is written down of an attempt's progress: its last words, and the end of what it put out. */
export interface Written {
  readonly attempt: number;
  readonly message?: string;
  readonly fraction?: number;
  readonly output: string;
  /** How much was put out so far, `output` included. */
  readonly putOut: number;
}

export interface ReportParts {
  readonly write: (call: CallRef, written: Written) => Promise<void>;
  /** At most one write per call in so long: 500 ms unless given. */
  readonly restMs?: number;
}

export interface Reporter {
  report(call: CallRef, attempt: number, said: Progress): void;
  /** Resolves once nothing is being written any more. */
  stop(): Promise<void>;
}

/** The end of what was put out is kept up to so many characters, a message up to so many. */
const mostOutput = 8_192;
const longestMessage = 300;

/** Of so many calls it is known what they said last; of one that was silent for longest it is forgotten. */
const mostCalls = 1_000;

interface Kept {
  written: Written;
  isNew: boolean;
  writing: Promise<void> | undefined;
}

/**
 * Passes on what attempts say to who may watch from another process: the first word at once, then what has come together,
 * twice a second. It may be lost and is never waited for: an attempt is not slowed by who watches it.
 */
export function reporterTo({ write, restMs = 500 }: ReportParts): Reporter {
  const calls = new Map<string, Kept>();
  const stopping = new AbortController();

  const writeWhileNew = async (call: CallRef, kept: Kept): Promise<void> => {
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
      const kept = calls.get(key) ?? { written: begun(attempt), isNew: false, writing: undefined };
      calls.delete(key);
      calls.set(key, kept);
      if (calls.size > mostCalls) calls.delete(calls.keys().next().value ?? "");
      kept.written = after(kept.written.attempt === attempt ? kept.written : begun(attempt), said);
      kept.isNew = true;
      kept.writing ??= writeWhileNew({ tenant, call }, kept);
    },
    async stop() {
      stopping.abort();
      await Promise.all([...calls.values()].map(({ writing }) => writing));
    },
  };
}

function begun(attempt: number): Written {
  return { attempt, output: "", putOut: 0 };
}

/** [P9] Whatever a capability says, it is nothing worse than said. */
function after(before: Written, { message, fraction, output }: Progress): Written {
  const added = typeof output === "string" ? storable(output) : "";
  return {
    ...before,
    ...(typeof message === "string" && { message: storable(message).slice(0, longestMessage) }),
    ...(typeof fraction === "number" && fraction >= 0 && fraction <= 1 && { fraction }),
    output: (before.output + added).slice(-mostOutput),
    putOut: before.putOut + added.length,
  };
}

/** PostgreSQL takes no NUL for text. */
function storable(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
