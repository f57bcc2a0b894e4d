import type { OutcomeKind } from "@paraph/core";

/** The exit codes of all commands. */
export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  notAuthenticated: 4,
  pending: 8,
  unknown: 9,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Returns the exit code of an outcome, so that scripts can tell success, refusal and unknown apart. */
export function toExitCode(outcome: OutcomeKind): ExitCode {
  switch (outcome) {
    case "succeeded":
      return exitCode.ok;
    case "failed":
    case "cancelled":
    case "superseded":
      return exitCode.failed;
    case "refused":
    case "denied":
    case "expired":
      return exitCode.refused;
    case "unknown":
      return exitCode.unknown;
  }
}
