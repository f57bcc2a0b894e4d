import type { Duration, Effect, Risk, Urgency } from "@paraph/core";
import type { CheckLevel } from "../check-levels.ts";

/** The short form of a policy in the configuration. It selects calls and makes one ruling about them. */
export interface Rule {
  /** A name such as `github.merge_pull_request`, or a pattern such as `github.delete_*` or `*`. */
  readonly capability?: string;
  readonly adapter?: string;
  readonly effect?: Effect;
  readonly risk?: Risk;
  /** Conditions by path, such as `input.cents`, `preview.rows` or `env.hour`. All of them must hold. */
  readonly when?: Readonly<Record<string, RuleBound>>;
  /** The callers that the rule applies to (default: all). */
  readonly for?: {
    readonly group?: string;
    readonly principal?: string;
    readonly kind?: "agent" | "person" | "service";
  };

  /** Asks for a person's approval. If this is the name of a group, a member of that group must approve. */
  readonly ask?: string | true;
  /** The number of approvers (default: 1). */
  readonly people?: number;
  readonly urgency?: Urgency;
  readonly deadline?: Duration;
  /** A level of checks, or the names of checks. */
  readonly check?: CheckLevel | readonly string[];
  /** The consequence if a check does not pass (default: `refuse`). */
  readonly onFail?: "refuse" | "ask";
  readonly block?: true;
  /**
   * Lets agents and services write without confirmation. Calls that do not meet `when` and `for` still need approval.
   */
  readonly allow?: "unattended";

  /** One sentence that tells people the reason for the rule. */
  readonly sentence?: string;
  /** Whether Paraph only records the ruling that the rule would make, without applying it. */
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
