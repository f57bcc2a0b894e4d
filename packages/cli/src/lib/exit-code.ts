import type { OutcomeKind } from "@paraph/core";

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

/** Scripts branch on this: did it happen, was it not allowed, or does nobody know? */
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
