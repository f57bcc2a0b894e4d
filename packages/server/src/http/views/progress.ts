import type { ProgressView } from "../../services/progress-view.ts";

/** The progress that a stream has already sent to its reader. */
export interface ProgressPosition {
  readonly attempt: number;
  readonly revision: number;
  readonly putOut: number;
}

/**
 * Returns the progress since the last position, or undefined if there is none. The result contains only new output.
 * `leftOut` is the length of new output that Paraph no longer keeps. If `hidden` is true, the result contains only the
 * attempt and the fraction.
 */
export function toProgressDelta(
  view: ProgressView,
  told: ProgressPosition | undefined,
  hidden: boolean,
): object | undefined {
  const { attempt, revision, message, fraction, output, putOut } = view;
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
