/**
 * Whether closures may evaluate policies. The first disagreement with Cedar ends the trust, until the process starts
 * again.
 */
export interface ClosureTrust {
  /** One of this many requests is also evaluated by Cedar. */
  readonly samplingInterval: number;
  readonly isTrusted: () => boolean;
  /** Ends the trust and calls every listener. */
  readonly withdraw: () => void;
  /** Calls the listener when the trust ends. The returned function removes the listener. */
  readonly onWithdrawal: (listener: () => void) => () => void;
}

/** Cedar takes about 50 times as long as closures, so a sample of 1 in 128 costs less than the rest. */
export function createClosureTrust(samplingInterval = 128): ClosureTrust {
  let trusted = true;
  const listeners = new Set<() => void>();
  return {
    samplingInterval,
    isTrusted: () => trusted,
    withdraw: () => {
      if (!trusted) return;
      trusted = false;
      for (const listener of listeners) listener();
    },
    onWithdrawal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The trust of this process. All policy sets share it, because they share the code of the closures. */
export const processTrust = createClosureTrust();
