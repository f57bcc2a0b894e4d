import type { Environment, Guard, Json, Preview, Principal, Ruling, Vote } from "@paraph/core";

/** What policy was asked, as it is kept beside the input and the preview. */
export interface PastRequest {
  readonly version: string;
  readonly principal: Omit<Principal, "tenant">;
  readonly discharged: readonly string[];
  /** Those that counted; of a step before it was asked about, the votes for its plan. */
  readonly votes?: readonly { readonly by: string }[];
  readonly env?: Environment;
  /** Whether policy saw a preview. */
  readonly preview: boolean;
}

/** What policy said, whatever was then done about it. */
export interface RecordedRuling {
  readonly kind: Ruling["kind"];
  readonly policies: readonly string[];
  readonly code?: string;
}

/** One call of the past: what policy was asked about it first, and what it said. */
export interface PastCall {
  readonly call: string;
  readonly capability: string;
  readonly contractDigest: string;
  readonly requirements: readonly Guard[];
  readonly was: RecordedRuling;
  /** A grant stood in for people. */
  readonly granted: boolean;
  /** Of a step: the votes for its plan. */
  readonly coveredBy?: readonly Vote[];
  /** Whether the question was kept at all; calls from before that was done have none. */
  readonly recorded: boolean;
  /** Missing once they were erased. */
  readonly request?: PastRequest;
  readonly input?: Json;
  readonly preview?: Preview;
}

/** The calls of one tenant, oldest first. */
export interface CallHistory {
  count(since: number, until: number): Promise<number>;
  pages(since: number, until: number): AsyncIterable<readonly PastCall[]>;
}
