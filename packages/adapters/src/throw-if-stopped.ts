import { CapabilityError, type ExecutionContext } from "@paraph/core";

/** Throws if the call was stopped. Call it only before the effect, because afterwards the fault would be false. */
export function throwIfStopped({ signal }: Pick<ExecutionContext, "signal">): void {
  if (signal.aborted)
    throw new CapabilityError(
      "not-performed",
      "stopped",
      "Paraph stopped the call before it changed anything.",
    );
}
