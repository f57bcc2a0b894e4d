import { CapabilityError } from "@paraph/core";
import type { ProcessResult } from "./command.ts";

/**
 * [P8] Converts the end of a program to a fault that states whether the program may have had an effect. `what` names
 * the action, such as "The push".
 */
export function toProcessFault(ran: ProcessResult, what: string): CapabilityError {
  const unclear = (code: string, how: string) =>
    new CapabilityError("ambiguous", code, `${what} ${how}. Check which changes it made.`);
  switch (ran.end) {
    case "not-started":
      return new CapabilityError(
        "not-performed",
        "not-started",
        `${what} was not started. ${ran.message ?? ""}`,
      );
    case "timed-out":
      return unclear("timed-out", "took too long and was stopped");
    case "stopped":
      return unclear("stopped", "was stopped at its deadline");
    case "too-much-output":
      return unclear("too-much-output", "exceeded the output limit and was stopped");
    case "exited":
      return isKilled(ran)
        ? unclear("killed", `was killed (${ran.signal ?? `exit code ${ran.exitCode}`})`)
        : new CapabilityError(
            "permanent",
            "exit-code",
            `${what} failed (exit code ${ran.exitCode}).${formatLastOutput(ran)}`,
          );
  }
}

/**
 * Whether a signal killed the program. The sandbox reports a signal as a shell does, with the exit code 128 plus the
 * signal's number.
 */
export function isKilled({ exitCode = 0, signal }: ProcessResult): boolean {
  return signal !== undefined || (exitCode > 128 && exitCode <= 128 + maxSignal);
}

const maxSignal = 64;

/**
 * Returns the end of the standard error for a fault's message. The message is part of the payload, so only the caller
 * may see it.
 */
function formatLastOutput({ stderr }: ProcessResult): string {
  const said = stderr.subarray(-2_000).toString("utf8").trim();
  return said === "" ? "" : ` It said: ${said}`;
}
