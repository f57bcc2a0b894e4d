import { CapabilityError } from "@paraph/core";

/** [P10] What a check says when it cannot be run: a code and words of our own, nothing of what it was reading. */
export function createStoppedError(): CapabilityError {
  return new CapabilityError("not-performed", "stopped", "The check was stopped at its deadline.");
}

export function createCrashedError(): CapabilityError {
  return new CapabilityError("permanent", "check-crashed", "The check could not be run on this input.");
}

/** [P11] Whatever a library throws may quote the input: only our own words go on. */
export function toSafeError(error: unknown, signal: AbortSignal): CapabilityError {
  if (error instanceof CapabilityError) return error;
  return signal.aborted ? createStoppedError() : createCrashedError();
}
