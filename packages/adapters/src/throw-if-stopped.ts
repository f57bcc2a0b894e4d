import { CapabilityError, type ExecutionContext } from "@paraph/core";

/**
 * Throws if Paraph stopped the call. Call it only before the effect, because the fault states that the call changed
 * nothing.
 */
export function throwIfStopped({ signal }: Pick<ExecutionContext, "signal">): void {
  if (signal.aborted)
    throw new CapabilityError(
      "not-performed",
      "stopped",
      "Paraph stopped the call before it changed anything.",
    );
}
