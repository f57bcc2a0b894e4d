import { CapabilityError } from "@paraph/core";
import type { ProcessResult } from "./command.ts";

/** [P8] What the end of a program says about the world. `what` is what it was to do: "The push". */
export function toProcessFault(ran: ProcessResult, what: string): CapabilityError {
  const unclear = (code: string, how: string) =>
    new CapabilityError("ambiguous", code, `${what} ${how}: look how far it came.`);
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
      return unclear("too-much-output", "put out more than is allowed and was stopped");
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

/** The sandbox reports a signal as a shell does: 128 plus its number. */
export function isKilled({ exitCode = 0, signal }: ProcessResult): boolean {
  return signal !== undefined || (exitCode > 128 && exitCode <= 128 + maxSignal);
}

const maxSignal = 64;

/** For the caller only: a message is a payload. */
function formatLastOutput({ stderr }: ProcessResult): string {
  const said = stderr.subarray(-2_000).toString("utf8").trim();
  return said === "" ? "" : ` It said: ${said}`;
}
