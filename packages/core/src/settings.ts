import type { Contract } from "./capability/contract.ts";
import type { Limit } from "./limit.ts";
import type { Guard } from "./policy/policy.ts";
import type { Enforcement } from "./policy/ruling.ts";
import type { Principal } from "./principal.ts";

/**
 * One reaction to a round without an answer. After `afterMs`, Paraph reminds the approvers or, if `group` is set, also
 * asks that group.
 */
export interface EscalationStep {
  readonly afterMs: number;
  readonly group?: string;
}

/** The settings of the pipeline, from the configuration. */
export interface Settings {
  /** The time in which people must answer, by urgency. */
  readonly askMs: Readonly<Record<Guard["urgency"], number>>;
  /** The reactions to a round without an answer, by urgency: reminders, then further groups that may answer as well. */
  readonly escalation: Readonly<Record<Guard["urgency"], readonly EscalationStep[]>>;
  /** The time for which an acknowledgement delays the next reminder or escalation. */
  readonly acknowledgeMs: number;
  /** [P3] The time that admission waits for a preview. If the preview takes longer, the first segment continues it. */
  readonly previewPatienceMs: number;
  readonly enforcement: Enforcement;
  /** The number of denials within an hour after which a principal may ask people only once a minute. */
  readonly maxDenials: number;
  /** Returns the limits for a call of this principal and capability. `cost` is in minor units. */
  readonly limits: (principal: Principal, contract: Contract, cost: number) => readonly Limit[];
  /** The time after which the sweeper repeats a message that the engine may not have received. */
  readonly sweepGraceMs: number;
}
