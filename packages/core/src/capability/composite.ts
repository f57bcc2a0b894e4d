import type { Json } from "../json.ts";
import type { Outcome } from "../outcome.ts";
import type { Guard } from "../policy/policy.ts";
import type { Undo } from "./capability.ts";

/** How a governed call that a composite made has ended. */
export interface ChildEnd {
  readonly step: string;
  /** Not there where it could not even be made: its input did not fit, or a lock was not declared. */
  readonly call?: string;
  readonly outcome: Outcome;
  readonly output?: Json;
  readonly undo?: Undo;
  readonly closedAt: number;
}

export interface StepOptions {
  /** Its name within the composite; otherwise its number, counted from 1 in the order the code asks. */
  readonly step?: string;
  /** Guards beyond what policy demands. */
  readonly requirements?: readonly Guard[];
  /** Shown to approvers as the agent's words. */
  readonly purpose?: string;
}

/**
 * What a composite's code is handed instead of the world: the one way it touches anything. Its code is run again from the
 * top whenever it has waited, and what has ended before is answered from the rows: it must do the same every time.
 */
export interface Composer {
  /** The output of a governed call; throws `StepFailed` where it did not succeed. */
  (capability: string, input: Json, options?: StepOptions): Promise<Json>;
  /** The same where any ending is an answer. */
  ended(capability: string, input: Json, options?: StepOptions): Promise<ChildEnd>;
  /** Steps that people approved the rest without. */
  readonly declined: ReadonlySet<string>;
  /** What had ended when this run began, by step. */
  readonly before: ReadonlyMap<string, ChildEnd>;
  /** What had been begun by then, ended or not. */
  readonly begun: ReadonlySet<string>;
}

/** A step that can be told before a composite starts, so that it is ruled on and previewed with the whole. */
export interface PlannedStep {
  readonly id: string;
  readonly capability: string;
  readonly input: Json;
  /** Steps whose output its input takes values from: it cannot be previewed before them. */
  readonly takes: readonly string[];
  /** Steps that come before it. */
  readonly after: readonly string[];
  readonly requirements: readonly Guard[];
  readonly visibility: Visibility;
}

/** Who sees a step's input and changes: whoever sees the plan, or those who may decide about it and who asked. */
export const visibilities = ["everyone", "approvers"] as const;
export type Visibility = (typeof visibilities)[number];

/** How a composite's code says that it has not done what it should; what its steps did is told by their own receipts. */
export class StepFailed extends Error {
  readonly code: string;
  readonly outcome: Outcome;

  constructor(code: string, message: string, outcome: Outcome) {
    super(message);
    this.name = "StepFailed";
    this.code = code;
    this.outcome = outcome;
  }
}
