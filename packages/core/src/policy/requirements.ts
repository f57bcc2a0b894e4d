import type { Guard, Urgency } from "./policy.ts";

/** What a caller demands of its own call, beyond what policy does: it can tighten and never loosen. */
export interface Requirements {
  /** How many people must approve. */
  readonly people?: number;
  /** Only people of this group count. */
  readonly group?: string;
  readonly urgency?: Urgency;
  /** Names of checks that must pass. */
  readonly checks?: readonly string[];
}

/** The same as guards, which are met by the same evidence as policy's. */
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
            sentence: "The caller wants a person to decide.",
            ...base,
          } as const,
        ]
      : []),
    ...(checks.length > 0
      ? [
          {
            id: "caller:check",
            ruling: "check",
            sentence: "The caller wants this checked.",
            checks,
            ...base,
          } as const,
        ]
      : []),
  ];
}

/** What asks a person for something cannot be answered by policy, a grant or an observer. */
export const answerGuard: Guard = {
  id: "capability:answer",
  ruling: "ask",
  sentence: "Only a person can answer this.",
  quorum: 1,
  urgency: "normal",
};
