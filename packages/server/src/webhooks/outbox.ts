import type { CallRef, RecordedEvent } from "@paraph/core";

/**
 * The events that endpoints have not received yet. Each transaction that writes an event also writes its outbox row.
 * Observations of a tenant are delivered in the same way as events of a call.
 */
export interface Outbox {
  /** Sets the endpoints that receive events, and those among them that also receive observations. */
  configure(endpoints: readonly string[], observing: readonly string[]): Promise<void>;
  /** Returns whether this process delivers to this endpoint. A process keeps an endpoint until the process ends. */
  holds(endpoint: string): Promise<boolean>;
  /** Returns the calls with due events, the longest due first. */
  due(endpoint: string, limit: number): Promise<readonly CallRef[]>;
  /**
   * Returns whether this endpoint already received five calls of the same principal and capability within a minute.
   * PostgreSQL determines the answer once for each call.
   */
  isFlood(endpoint: string, ref: CallRef): Promise<boolean>;
  news(endpoint: string, ref: CallRef): Promise<PendingEvents | undefined>;
  /**
   * Records that the endpoint received the events up to this one, or that delivery was abandoned. Returns false if
   * another process recorded a later event.
   */
  told(endpoint: string, ref: CallRef, seq: number, gaveUp: boolean): Promise<boolean>;
  failed(endpoint: string, ref: CallRef, waitMs: number, code: string): Promise<void>;
}

/** The undelivered events of one call, and the failures so far. */
export interface PendingEvents {
  /** The requester, if the events belong to a call. */
  readonly principal: string | null;
  readonly attempts: number;
  readonly failingSince: number | null;
  readonly events: readonly PendingEvent[];
}

/** An event of a call, or the notice of an observation. */
export type PendingEvent =
  | RecordedEvent
  | {
      readonly kind: "observation";
      readonly seq: number;
      readonly at: number;
      readonly data: { readonly adapter: string; readonly kind: string };
    };
