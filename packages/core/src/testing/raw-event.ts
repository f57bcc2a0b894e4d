import type { EventKind, NewEvent } from "../event.ts";
import type { JsonObject } from "../json.ts";

/** An event that says no more than a test needs. Stores keep what events say without reading it. */
export function createRawEvent(kind: EventKind, at: number, data: JsonObject = {}): NewEvent {
  return { kind, at, data } as unknown as NewEvent;
}
