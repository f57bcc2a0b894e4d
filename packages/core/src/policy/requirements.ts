import type { Guard, Urgency } from "./policy.ts";

/**
 * The demands of a requester for its own call, in addition to those of policy. They can tighten policy but never loosen
 * it.
 */
export interface Requirements {
  /** The number of people who must approve. */
  readonly people?: number;
  /** The only group whose members count as approvers. */
  readonly group?: string;
  readonly urgency?: Urgency;
  /** Names of checks that must pass. */
  readonly checks?: readonly string[];
}

/** Returns the requirements as guards. They need the same kinds of evidence as the guards of policy. */
export function buildCallerGuards(requirements: Requirements = {}): readonly Guard[] {
  const { people, group, urgency = "normal", checks = [] } = requirements;
  const asks = people !== undefined || group !== undefined;
  const base = { quorum: people ?? 1, urgency, ...(group !== undefined && { group }) };
  return [
    ...(asks
      ? [
          {
            id: "caller:ask",
            ruling: "ask",
            sentence: "The requester requires a person's approval.",
            ...base,
          } as const,
        ]
      : []),
    ...(checks.length > 0
      ? [
          {
            id: "caller:check",
            ruling: "check",
            sentence: "The requester requires checks for this call.",
            checks,
            ...base,
          } as const,
        ]
      : []),
  ];
}

/**
 * The guard of a capability that asks a person for an answer. Neither policy nor a grant nor observe mode can give that
 * answer.
 */
export const answerGuard: Guard = {
  id: "capability:answer",
  ruling: "ask",
  sentence: "Only a person can answer this.",
  quorum: 1,
  urgency: "normal",
};
