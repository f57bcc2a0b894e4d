import type { Call, Contract, Wake } from "@paraph/core";

/** Runs a call's first segment in the process where it arrived. */
export interface Here {
  /** Whether a call of this contract would be performed here now. */
  willing(contract: Contract): boolean;
  /** Goes on with a call that was just admitted. */
  run(call: Call): void;
}

export interface HereOptions {
  readonly segment: (call: Call) => Promise<readonly Wake[]>;
  readonly send: (wakes: readonly Wake[]) => Promise<void>;
  readonly problem: (error: unknown, call: Call) => void;
  /** Once the process is stopping, calls go to the engine. */
  readonly stopping: () => boolean;
  /** How many at once; more go to the engine, which spreads them over the workers. */
  readonly most?: number;
}

/** Longer attempts belong to workers: an API process is restarted more often than they are. */
const longestHereMs = 30_000;

/**
 * One rule: the first segment runs where the call arrived if it need not wait and will not take long; at its first wait,
 * or when this process dies, the engine goes on from the rows. It is the same segment in either place.
 */
export function performHere({ segment, send, problem, stopping, most = 64 }: HereOptions): Here {
  let underWay = 0;
  return {
    willing: ({ timeoutMs, composite }) =>
      timeoutMs <= longestHereMs && composite === undefined && underWay < most && !stopping(),
    run(call) {
      underWay += 1;
      void segment(call)
        .then(send)
        // What is thrown here left the rows as they were: the sweeper hands the call to the engine.
        .catch((error) => problem(error, call))
        .finally(() => {
          underWay -= 1;
        });
    },
  };
}
