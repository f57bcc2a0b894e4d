import { CapabilityError } from "@paraph/core";
import { isKilled, type Ran } from "../process/index.ts";
import { plain, textOf } from "./words.ts";

/** [P8] What a git that did not do its work says about the world. Before an effect nothing has happened yet. */
export function gitFault(ran: Ran, what: string, effect: boolean): CapabilityError {
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
        ? new CapabilityError("ambiguous", "stopped", `${what}: git was stopped at its deadline.`)
        : new CapabilityError("not-performed", "stopped", `${what}: stopped before anything was done.`);
    case "too-much-output":
      return new CapabilityError("permanent", "too-large", `${what}: git had more to say than is read here.`);
    case "exited":
      return isKilled(ran)
        ? new CapabilityError(
            effect ? "ambiguous" : "not-performed",
            "git-killed",
            `${what}: git was killed.`,
          )
        : new CapabilityError("permanent", "git-failed", `${what}: git refused.${lastWords(ran)}`);
  }
}

/** For the caller only: one line, since the rest is advice, or what a remote wants us to read. */
export function lastWords({ stderr }: Ran): string {
  const lines = textOf(stderr.subarray(0, 20_000))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(?:fatal|error|remote):/.test(line));
  const said = lines.find((line) => line.startsWith("fatal")) ?? lines[0];
  return said === undefined ? "" : ` It said: ${plain(said).slice(0, 300)}`;
}
