import type { CallRef, RecordedEvent } from "@paraph/core";

/**
 * What endpoints have not been told yet, as rows that are written in the transactions that write the events. What is
 * observed for a tenant is told like the events of a call.
 */
export interface Outbox {
  /** From now on these are told, and no others; and these of them of what is observed. */
  configure(endpoints: readonly string[], observing: readonly string[]): Promise<void>;
  /** Whether this process is the one that tells this endpoint; it is for as long as it lives. */
  holds(endpoint: string): Promise<boolean>;
  /** Calls whose news are due, the longest due first. */
  due(endpoint: string, limit: number): Promise<readonly CallRef[]>;
  /** Whether people have heard enough of this kind: this endpoint was told of five like it within a minute. Decided once. */
  isFlood(endpoint: string, ref: CallRef): Promise<boolean>;
  news(endpoint: string, ref: CallRef): Promise<PendingEvents | undefined>;
  /** Told up to this event, or given up on it. False: somebody else has been further already. */
  told(endpoint: string, ref: CallRef, seq: number, gaveUp: boolean): Promise<boolean>;
  failed(endpoint: string, ref: CallRef, waitMs: number, code: string): Promise<void>;
}

export interface PendingEvents {
  /** Who asked, where it is of a call. */
  readonly principal: string | null;
  readonly attempts: number;
  readonly failingSince: number | null;
  readonly events: readonly PendingEvent[];
}

/** An event of a call, or that something was observed. */
export type PendingEvent =
  | RecordedEvent
  | {
      readonly kind: "observation";
      readonly seq: number;
      readonly at: number;
      readonly data: { readonly adapter: string; readonly kind: string };
    };
