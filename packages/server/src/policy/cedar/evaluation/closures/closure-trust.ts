/**
 * Whether closures may evaluate policies. The first disagreement with Cedar ends the trust, until the process starts
 * again.
 */
export interface ClosureTrust {
  readonly isTrusted: () => boolean;
  /** Ends the trust and calls every listener. */
  readonly withdraw: () => void;
  /** Calls the listener when the trust ends. The returned function removes the listener. */
  readonly onWithdrawal: (listener: () => void) => () => void;
}

export function createClosureTrust(): ClosureTrust {
  let trusted = true;
  const listeners = new Set<() => void>();
  return {
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
