/** How far the attempt of a call is, as it was last said. */
export interface ProgressView {
  readonly attempt: number;
  /** Raised by every word of it. */
  readonly revision: number;
  readonly message: string | null;
  readonly fraction: number | null;
  /** The end of what was put out. */
  readonly output: string;
  /** How much was put out so far, `output` included. */
  readonly putOut: number;
}

/** What a reader of a stream has been told of an attempt's progress. */
export interface ProgressPosition {
  readonly attempt: number;
  readonly revision: number;
  readonly putOut: number;
}

/**
 * What is new since then, as it is told: only the output that was not told yet, and how much of that is not kept any more.
 * Undefined: nothing. Whoever may not see the call's detail is told how far it is and no more.
 */
export function toProgressDelta(
  said: ProgressView,
  told: ProgressPosition | undefined,
  hidden: boolean,
): object | undefined {
  const { attempt, revision, message, fraction, output, putOut } = said;
  const before = told?.attempt === attempt ? told : { revision: 0, putOut: 0 };
  if (revision <= before.revision) return undefined;
  const added = putOut - before.putOut;
  const left = Math.max(0, added - output.length);
  return {
    attempt,
    ...(fraction !== null && { fraction }),
    ...(!hidden && {
      ...(message !== null && { message }),
      ...(added > 0 && { output: output.slice(-added) }),
      ...(left > 0 && { leftOut: left }),
    }),
  };
}
