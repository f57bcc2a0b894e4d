import type { JsonObject } from "./json.ts";

/**
 * One fact in the life of a call. `data` holds ids, numbers, codes and commitments, never a payload:
 * events are kept for ever, payloads can be erased.
 */
export interface Event {
  readonly seq: number;
  readonly kind: EventKind;
  readonly at: number;
  readonly data: JsonObject;
}

export type EventKind =
  | "accepted"
  | "ruled"
  | "checked"
  | "asked"
  | "voted"
  | "round-closed"
  | "queued"
  | "locked"
  | "offered"
  | "covered"
  | "began"
  | "stepped"
  | "intended"
  | "attempted"
  | "delayed"
  | "segment-failed"
  | "resumed"
  | "parked"
  | "withdrawn"
  | "reminded"
  | "escalated"
  | "handed-over"
  | "revealed"
  | "said"
  | "closed"
  | "resolved";

export type NewEvent = Omit<Event, "seq">;

/** The public name of an event, as CloudEvents' `type`. */
export function cloudEventType(event: Pick<Event, "kind" | "data">): string {
  const name = event.kind === "closed" ? String(event.data.outcome) : event.kind;
  return `dev.paraph.call.${name}.v1`;
}
