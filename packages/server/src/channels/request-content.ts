import type { Approval, Change, Effect, Outcome, Risk } from "@paraph/core";
import type { NoticeLinks } from "./notice-content.ts";

/** A mail to a requester who sent a request by mail. It contains no sensitive field. */
export type RequestContent = { readonly kind: "mail-request"; readonly links: NoticeLinks } & (
  | {
      readonly about: "questions";
      readonly questions: readonly ShownQuestion[];
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

/** The end of a plan, with its receipt. */
export interface RequestOutcome {
  readonly about: "outcome";
  readonly call: string;
  readonly outcome: Outcome;
  readonly votes: Approval["votes"];
  readonly steps: readonly { readonly capability: string; readonly result: string }[];
  /** The receipt as JSON, without payloads. */
  readonly receipt?: string;
}
