import type { CallRef, Event } from "@paraph/core";

/** What endpoints have not been told yet, as rows that are written in the transactions that write the events. */
export interface Outbox {
  /** From now on these are told, and no others. */
  configure(endpoints: readonly string[]): Promise<void>;
  /** Whether this process is the one that tells this endpoint; it is for as long as it lives. */
  holds(endpoint: string): Promise<boolean>;
  /** Calls whose news are due, the longest due first. */
  due(endpoint: string, limit: number): Promise<readonly CallRef[]>;
  /** Whether people have heard enough of this kind: this endpoint was told of five like it within a minute. Decided once. */
  isFlood(endpoint: string, ref: CallRef): Promise<boolean>;
  news(endpoint: string, ref: CallRef): Promise<News | undefined>;
  /** Told up to this event, or given up on it. False: somebody else has been further already. */
  told(endpoint: string, ref: CallRef, seq: number, gaveUp: boolean): Promise<boolean>;
  failed(endpoint: string, ref: CallRef, waitMs: number, code: string): Promise<void>;
}

export interface News {
  readonly principal: string;
  readonly attempts: number;
  readonly failingSince: number | null;
  readonly events: readonly Event[];
}
