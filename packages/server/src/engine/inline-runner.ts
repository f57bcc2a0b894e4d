import type { Call, Contract, Wake } from "@paraph/core";

/** Runs a call's first segment in the process where it arrived. */
export interface InlineRunner {
  /** A place to perform a call of this contract, if one is free. It is taken until it is run or given back. */
  reserve(contract: Contract): InlineSlot | undefined;
}

export interface InlineSlot {
  /** Goes on with a call that was just admitted. */
  run(call: Call): void;
  release(): void;
}

export interface InlineRunnerOptions {
  readonly runSegment: (call: Call) => Promise<readonly Wake[]>;
  readonly send: (wakes: readonly Wake[]) => Promise<void>;
  readonly problem: (error: unknown, call: Call) => void;
  /** Once the process is stopping, calls go to the engine. */
  readonly isStopping: () => boolean;
  /** How many at once; more go to the engine, which spreads them over the workers. */
  readonly maxConcurrent?: number;
}

/** Longer attempts belong to workers: an API process is restarted more often than they are. */
const maxInlineMs = 30_000;

/**
 * One rule: the first segment runs where the call arrived if it need not wait and will not take long; at its first wait,
 * or when this process dies, the engine goes on from the rows. It is the same segment in either place.
 */
export function createInlineRunner({
  runSegment: segment,
  send,
  problem,
  isStopping: stopping,
  maxConcurrent: most = 64,
}: InlineRunnerOptions): InlineRunner {
  let taken = 0;
  const release = () => {
    taken -= 1;
  };
  return {
    reserve({ timeoutMs, composite }) {
      if (timeoutMs > maxInlineMs || composite !== undefined) return undefined;
      if (taken >= most || stopping()) return undefined;
      taken += 1;
      return {
        run(call) {
          void segment(call)
            .then(send)
            // What is thrown here left the rows as they were: the sweeper hands the call to the engine.
            .catch((error) => problem(error, call))
            .finally(release);
        },
        release: release,
      };
    },
  };
}
