import type { Json } from "../json.ts";
import type { Outcome } from "../outcome.ts";
import type { Guard } from "../policy/policy.ts";
import type { Undo } from "./capability.ts";

/** The end of a governed call that a composite made. */
export interface ChildEnd {
  readonly step: string;
  /**
   * The id of the step's call. Missing if an invalid input or an undeclared lock prevented Paraph from opening the
   * call.
   */
  readonly call?: string;
  readonly outcome: Outcome;
  readonly output?: Json;
  readonly undo?: Undo;
  readonly closedAt: number;
}

/** The options of one step. */
export interface StepOptions {
  /**
   * The step's name within the composite. Default: its number, counted from 1 in the order in which the code requests
   * steps.
   */
  readonly step?: string;
  /** Guards in addition to those of policy. */
  readonly requirements?: readonly Guard[];
  /** The agent's reason for the step. Paraph shows it to approvers as the agent's own words. */
  readonly purpose?: string;
}

/**
 * The only interface through which a composite's code acts. After every wait, Paraph runs the code again from the top,
 * and takes the results of closed steps from the rows. The code must therefore be deterministic.
 */
export interface Composer {
  /** Returns the output of a governed call. Throws `StepFailed` if the call did not succeed. */
  (capability: string, input: Json, options?: StepOptions): Promise<Json>;
  /** Returns the end of a governed call, whatever its outcome. */
  ended(capability: string, input: Json, options?: StepOptions): Promise<ChildEnd>;
  /** The steps that the approvers left out of their approval. */
  readonly declined: ReadonlySet<string>;
  /** The ends of the steps that were closed when this run began, by step. */
  readonly before: ReadonlyMap<string, ChildEnd>;
  /** The steps that had begun when this run began, whether closed or not. */
  readonly begun: ReadonlySet<string>;
}

/**
 * A step that is known before a composite starts. Paraph can therefore rule on it and preview it together with the
 * composite.
 */
export interface PlannedStep {
  readonly id: string;
  readonly capability: string;
  readonly input: Json;
  /**
   * The steps whose output provides values for this step's input. Paraph cannot preview this step before they are done.
   */
  readonly takes: readonly string[];
  /** The steps that must end before this step starts. */
  readonly after: readonly string[];
  readonly requirements: readonly Guard[];
  readonly visibility: Visibility;
}

/**
 * The people who see a step's input and changes: everyone who sees the plan, or only the requester and the eligible
 * approvers.
 */
export const visibilities = ["everyone", "approvers"] as const;
/** The people who see a step's input and changes. */
export type Visibility = (typeof visibilities)[number];

/**
 * The error with which a composite's code fails, for example because a step did not succeed. The receipts of the steps
 * record what each step did.
 */
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
