import type { Environment, Guard, Json, OutcomeKind, Preview, Principal, Ruling, Vote } from "@paraph/core";

/** A stored policy request. The input and the preview are stored separately. */
export interface PastRequest {
  readonly version: string;
  readonly principal: Omit<Principal, "tenant">;
  readonly discharged: readonly string[];
  /** The votes that counted. If a step has no round of its own yet, these are the votes for its plan. */
  readonly votes?: readonly { readonly by: string }[];
  readonly env?: Environment;
  /** Whether policy saw a preview. */
  readonly preview: boolean;
}

/** A ruling that policy made, whether or not Paraph applied it. */
export interface RecordedRuling {
  readonly kind: Ruling["kind"];
  readonly policies: readonly string[];
  readonly code?: string;
  /** The guards that people had to satisfy. Missing if Paraph asked no approver. */
  readonly guards?: readonly Guard[];
}

/** A past call with its first policy request and the ruling. */
export interface PastCall {
  readonly call: string;
  readonly capability: string;
  readonly contractDigest: string;
  readonly openedAt: number;
  /** Missing while the call is open. */
  readonly outcome?: OutcomeKind;
  readonly requirements: readonly Guard[];
  readonly was: RecordedRuling;
  /** Whether a grant took the place of votes. */
  readonly granted: boolean;
  /** The votes for the plan, if the call is a step. */
  readonly coveredBy?: readonly Vote[];
  /** Whether the policy request was stored. Older versions of Paraph did not store it. */
  readonly recorded: boolean;
  /** Undefined after an erasure. */
  readonly request?: PastRequest;
  readonly input?: Json;
  readonly preview?: Preview;
}

/** The calls of one tenant, oldest first. */
export interface CallHistory {
  count(since: number, until: number): Promise<number>;
  pages(since: number, until: number): AsyncIterable<readonly PastCall[]>;
}
