import type { Duration, Effect, ProofKind, Risk, Urgency } from "@paraph/core";
import type { CheckLevel } from "../check-levels.ts";

/** The short form of a policy in the configuration. It selects calls and makes one ruling about them. */
export interface Rule {
  /** The name of a capability, or a pattern with `*`. */
  readonly capability?: string;
  readonly adapter?: string;
  readonly effect?: Effect;
  readonly risk?: Risk;
  /** Conditions by path, such as `input.cents`. */
  readonly when?: Readonly<Record<string, RuleBound>>;
  /** The callers that the rule applies to. */
  readonly for?: {
    readonly group?: string;
    readonly principal?: string;
    readonly kind?: "agent" | "person" | "service";
  };

  /** Asks for approval, by a member of the group if this is the name of one. */
  readonly ask?: string | true;
  /** The number of approvers. */
  readonly people?: number;
  /** The proof that each approval needs. */
  readonly proof?: ProofKind;
  readonly urgency?: Urgency;
  readonly deadline?: Duration;
  /** Lets approvers approve with a reply to the mail. */
  readonly reply?: "approve";
  /** A level of checks, or the names of checks. */
  readonly check?: CheckLevel | readonly string[];
  /** The consequence if a check does not pass. */
  readonly onFail?: "refuse" | "ask";
  readonly block?: true;
  /** Lets agents and services write without confirmation. */
  readonly allow?: "unattended";

  /**
   * One sentence that tells people the reason for the rule. For `allow`, the reason why a call outside its bounds needs
   * an approval.
   */
  readonly sentence?: string;
  /** Whether Paraph only records the ruling that the rule would make. */
  readonly shadow?: true;
}

/** The bounds of a value. If there are several, all must hold. */
export interface RuleBound {
  readonly over?: number;
  readonly under?: number;
  readonly is?: string | number | boolean;
  readonly oneOf?: readonly (string | number)[];
  readonly startsWith?: string;
}
