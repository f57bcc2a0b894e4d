import { CapabilityError } from "@paraph/core";
import { escapeControls } from "../../format-text.ts";
import { isKilled, type ProcessResult } from "../../process/index.ts";
import { decodeOutput } from "../format.ts";

/**
 * [P8] Converts a failed git process to a fault. If the process was stopped or killed, the fault is ambiguous only if
 * the process performs the effect.
 */
export function toGitFault(ran: ProcessResult, what: string, effect: boolean): CapabilityError {
  switch (ran.end) {
    case "not-started":
      return new CapabilityError(
        "not-performed",
        "git-not-started",
        `${what}: git was not started. ${ran.message ?? ""}`.trim(),
      );
    case "timed-out":
    case "stopped":
      return effect
        ? new CapabilityError(
            "ambiguous",
            "stopped",
            `${what} did not finish, because git was stopped at its deadline. It may have taken effect.`,
          )
        : new CapabilityError(
            "not-performed",
            "stopped",
            `${what} failed, because git was stopped before it changed anything.`,
          );
    case "too-much-output":
      return new CapabilityError(
        "permanent",
        "too-large",
        `${what} failed, because the output of git exceeded the limit.`,
      );
    case "exited":
      return isKilled(ran)
        ? new CapabilityError(
            effect ? "ambiguous" : "not-performed",
            "git-killed",
            `${what}: git was killed.`,
          )
        : new CapabilityError("permanent", "git-failed", `${what}: git failed.${formatGitError(ran)}`);
  }
}

/**
 * Returns one line of git's error output, which only the caller may see. It drops the other lines, which are advice or
 * text from the remote.
 */
export function formatGitError({ stderr }: ProcessResult): string {
  const lines = decodeOutput(stderr.subarray(0, 20_000))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(?:fatal|error|remote):/.test(line));
  const said = lines.find((line) => line.startsWith("fatal")) ?? lines[0];
  return said === undefined ? "" : ` It said: ${escapeControls(said).slice(0, 300)}`;
}
