import { CapabilityError } from "@paraph/core";

/**
 * [P10] Creates the error of a check that was stopped at its deadline. The error holds a code and a fixed message, and
 * no part of the input.
 */
export function createStoppedError(): CapabilityError {
  return new CapabilityError("not-performed", "stopped", "The check was stopped at its deadline.");
}

export function createCrashedError(): CapabilityError {
  return new CapabilityError("permanent", "check-crashed", "The check could not be run on this input.");
}

/**
 * [P11] Replaces an error of a library with an error that has a fixed message, because a library's message may quote
 * the input.
 */
export function toSafeError(error: unknown, signal: AbortSignal): CapabilityError {
  if (error instanceof CapabilityError) return error;
  return signal.aborted ? createStoppedError() : createCrashedError();
}
