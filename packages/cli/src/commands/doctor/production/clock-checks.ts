import { formatDuration } from "../../../lib/terminal/format-time.ts";
import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, ok, skipped, warn } from "./production-check.ts";

const subject = "Clock";
const maxOffsetMs = 2_000;

export const clockChecks: readonly CheckDefinition<DatabaseFacts<"clock">>[] = [
  {
    ...{ subject, name: "PostgreSQL" },
    why: "PostgreSQL's clock decides when approvals expire. This host's clock decides which certificates are valid and stamps the log.",
    judge: ({ offsetMs, uncertaintyMs }) => {
      const offset = Math.abs(offsetMs);
      if (offset - uncertaintyMs <= maxOffsetMs)
        return ok(`within ${formatDuration(Math.ceil(offset + uncertaintyMs))} of PostgreSQL`);
      return warn(
        `this host is ${formatDuration(offset)} ${offsetMs > 0 ? "ahead of" : "behind"} PostgreSQL`,
        "synchronise both hosts with NTP",
      );
    },
  },
];

/** `isSynchronised` is undefined if this host does not say. */
export const ntpChecks: readonly CheckDefinition<{ readonly isSynchronised: boolean | undefined }>[] = [
  {
    ...{ subject, name: "NTP" },
    why: "A clock that nothing corrects drifts by seconds per week.",
    judge: ({ isSynchronised }) => {
      if (isSynchronised === undefined)
        return skipped("this host does not say whether NTP keeps its clock right (no answer of timedatectl)");
      return isSynchronised
        ? ok("NTP synchronised on this host")
        : warn(
            "this host's clock is not synchronised",
            "turn on NTP, for example with `timedatectl set-ntp true`",
          );
    },
  },
];
