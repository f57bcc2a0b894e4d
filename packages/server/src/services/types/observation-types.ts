import type { JsonObject, Principal } from "@paraph/core";

/** Something an adapter perceived, as it was written down. */
export interface ObservationView {
  /** Counts the tenant's observations in the order in which they were written down. */
  readonly seq: number;
  readonly adapter: string;
  /** The outside's own name for it. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  /** When it happened, by the outside's clock, where that tells. */
  readonly at?: number;
  readonly seenAt: number;
  /** Not given: it was too large to keep. */
  readonly data?: JsonObject;
}

export interface ObservationFilter {
  readonly adapter?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly since?: number;
  /** Those after this number; not given: the last ones. */
  readonly after?: number;
  readonly limit: number;
}

export interface ObservationListPage {
  /** Oldest first. */
  readonly observations: readonly ObservationView[];
  /** The number to go on after, whether or not there is more by now. */
  readonly next: number;
}

/** How far an adapter has looked for a tenant. */
export interface PollView {
  readonly adapter: string;
  readonly lookedAt?: number;
  readonly nextAt: number;
  /** How often in a row it has failed, and by what code the last time. */
  readonly failures: number;
  readonly code?: string;
}

/** What is observed, for those who may read it. */
export interface ObservationService {
  list(reader: Principal, filter: ObservationFilter): Promise<ObservationListPage>;
  /** Resolves once there is something after this number, or after `ms`, or when the signal aborts. */
  waitForMore(reader: Principal, after: number, ms: number, signal: AbortSignal): Promise<void>;
  listPolls(reader: Principal): Promise<readonly PollView[]>;
}
