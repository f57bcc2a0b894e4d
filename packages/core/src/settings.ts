import type { Contract } from "./capability/contract.ts";
import type { Limit } from "./limit.ts";
import type { Guard } from "./policy/policy.ts";
import type { Enforcement } from "./policy/ruling.ts";
import type { Principal } from "./principal.ts";

/** So long after asking, those who were asked are reminded, or this group is asked as well. */
export interface EscalationStep {
  readonly afterMs: number;
  readonly group?: string;
}

export interface Settings {
  /** How long an answer may take, by urgency. */
  readonly askMs: Readonly<Record<Guard["urgency"], number>>;
  /** What happens while nobody answers, by urgency: reminders, then further groups that may answer too. */
  readonly escalation: Readonly<Record<Guard["urgency"], readonly EscalationStep[]>>;
  /** [P3] A preview longer than this goes on as the first segment. */
  readonly previewPatienceMs: number;
  readonly enforcement: Enforcement;
  /** So many denials within an hour, and a principal may ask people once a minute. */
  readonly mostDenials: number;
  /** The limits that a call of this principal and capability is under. `cost`: in minor units. */
  readonly limits: (principal: Principal, contract: Contract, cost: number) => readonly Limit[];
  /** How long the engine is trusted to have received a message before the sweeper repeats it. */
  readonly sweepGraceMs: number;
}
