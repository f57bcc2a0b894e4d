import type { Call, Contract, Wake } from "@paraph/core";

/** Runs a call's first segment in the process where the call arrived. */
export interface InlineRunner {
  /**
   * Reserves a slot for a call of this contract. Returns undefined if the call must go to the engine instead. The slot
   * stays reserved until its call has run or the caller releases it.
   */
  reserve(contract: Contract): InlineSlot | undefined;
}

/** A reserved slot for one call. */
export interface InlineSlot {
  /** Continues a call that was just admitted. Resolves when its segment has ended, and does not reject. */
  run(call: Call): Promise<void>;
  release(): void;
}

/** Options of `createInlineRunner`. */
export interface InlineRunnerOptions {
  readonly runSegment: (call: Call) => Promise<readonly Wake[]>;
  readonly send: (wakes: readonly Wake[]) => Promise<void>;
  readonly problem: (error: unknown, call: Call) => void;
  /** Whether the process is stopping. New calls then go to the engine. */
  readonly isStopping: () => boolean;
  /**
   * The maximum number of concurrent calls (default: 64). Further calls go to the engine, which distributes them among
   * the workers.
   */
  readonly maxConcurrent?: number;
}

/**
 * The maximum timeout of an attempt that runs inline. Longer attempts run on workers, because API processes are
 * restarted more often than workers.
 */
const maxInlineMs = 30_000;

/**
 * Creates the runner. It runs the first segment of a call in the process where the call arrived. Composite calls, calls
 * with a long timeout and calls that get no slot go to the engine. When the call first waits, or when this process
 * dies, the engine continues the call from the rows. The process and the engine run the same segment code.
 */
export function createInlineRunner({
  runSegment,
  send,
  problem,
  isStopping,
  maxConcurrent = 64,
}: InlineRunnerOptions): InlineRunner {
  let taken = 0;
  const release = () => {
    taken -= 1;
  };
  return {
    reserve({ timeoutMs, composite }) {
      if (timeoutMs > maxInlineMs || composite !== undefined) return undefined;
      if (taken >= maxConcurrent || isStopping()) return undefined;
      taken += 1;
      return {
        run: (call) =>
          runSegment(call)
            .then(send)
            // An error here leaves the rows unchanged, so the sweeper sends the call to the engine.
            .catch((error) => problem(error, call))
            .finally(release),
        release: release,
      };
    },
  };
}
