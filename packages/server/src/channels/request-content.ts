import type { Approval, Change, Effect, NotUndone, Outcome, Risk } from "@paraph/core";
import type { DraftStep } from "@paraph/core/intents";
import type { NoticeLinks } from "./notice-content.ts";

/** A mail to a requester who sent a request by mail. It contains no sensitive field. */
export type RequestContent = { readonly kind: "mail-request"; readonly links: NoticeLinks } & (
  | {
      readonly about: "questions";
      readonly questions: readonly ShownQuestion[];
      /** The plan so far, if the words leave no doubt about its steps. */
      readonly steps: readonly DraftStep[];
      readonly wantsFacts: boolean;
    }
  | ({ readonly about: "plan"; readonly fingerprint: string; readonly expiresAt: number } & PlanSummary)
  /** `code` says why there is no plan. */
  | { readonly about: "refusal"; readonly code: string }
  | RequestOutcome
);

/** A question to the requester. */
export interface ShownQuestion {
  readonly message: string;
  readonly options?: readonly string[];
}

/** The parts of a plan that a mail shows. */
export interface PlanSummary {
  readonly steps: readonly ShownStep[];
  readonly changes: readonly Change[];
  /** The ruling of policy at this time, and its sentence. */
  readonly ruling: string;
  readonly sentence: string;
  /** Why a reply cannot confirm the plan. */
  readonly fault?: PlanFault;
}

/** Why a reply cannot confirm a plan. */
export type PlanFault = "plan-blocked" | "plan-sensitive" | "plan-too-large" | "plan-risk";

/** A step of a plan. A step with sensitive fields has no input here. */
export interface ShownStep {
  readonly capability: string;
  readonly headline?: string | undefined;
  readonly effect?: Effect;
  readonly risk?: Risk;
  readonly input?: string;
}

/** The undo of a request, which a reply to its outcome can request. */
export interface UndoOffer {
  /** The digest of the undo, to which the token in the reply address belongs. */
  readonly digest: string;
  readonly steps: readonly Pick<ShownStep, "capability" | "headline">[];
  readonly changes: readonly Change[];
  /** The ruling of policy at this time, as a sentence. */
  readonly sentence: string;
  /** Why a reply cannot request the undo. */
  readonly fault?: PlanFault;
}

/** The end of a plan, with its receipt. */
export interface RequestOutcome {
  readonly about: "outcome";
  readonly call: string;
  /** Whether the plan is the undo of an earlier request. */
  readonly isUndo: boolean;
  readonly undo?: UndoOffer;
  /** The effects that this undo, or the undo of this request, leaves in place. */
  readonly remaining: readonly Pick<NotUndone, "step" | "capability" | "reason">[];
  readonly outcome: Outcome;
  readonly votes: Approval["votes"];
  readonly steps: readonly { readonly capability: string; readonly result: string }[];
  /** The receipt as JSON, without payloads. */
  readonly receipt?: string;
}
