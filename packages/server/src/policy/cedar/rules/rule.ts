import type { Duration, Effect, Risk, Urgency } from "@paraph/core";
import type { CheckLevel } from "../check-levels.ts";

/** The short form of a policy, as a configuration has it. It says which calls it is about, and one thing about them. */
export interface Rule {
  /** A name (`github.merge_pull_request`) or a pattern (`github.delete_*`, `*`). */
  readonly capability?: string;
  readonly adapter?: string;
  readonly effect?: Effect;
  readonly risk?: Risk;
  /** By path: `input.cents`, `preview.rows`, `env.hour`. All of them must hold. */
  readonly when?: Readonly<Record<string, RuleBound>>;
  /** Whose calls it is about; everybody's unless given. */
  readonly for?: {
    readonly group?: string;
    readonly principal?: string;
    readonly kind?: "agent" | "person" | "service";
  };

  /** A person decides, one of this group where it is named. */
  readonly ask?: string | true;
  /** How many people; 1 unless given. */
  readonly people?: number;
  readonly urgency?: Urgency;
  readonly deadline?: Duration;
  /** A level of checks, or the checks by name. */
  readonly check?: CheckLevel | readonly string[];
  /** What follows where a check does not pass; `refuse` unless given. */
  readonly onFail?: "refuse" | "ask";
  readonly block?: true;
  /** Agents and services may write so while nobody watches; what is outside of `when` and `for` is asked about. */
  readonly allow?: "unattended";

  /** One sentence for people: why. */
  readonly sentence?: string;
  /** On trial: what the rule would do is recorded and hinders nothing. */
  readonly shadow?: true;
}

/** What a value must be. Several together must all hold. */
export interface RuleBound {
  readonly over?: number;
  readonly under?: number;
  readonly is?: string | number | boolean;
  readonly oneOf?: readonly (string | number)[];
  readonly startsWith?: string;
}
