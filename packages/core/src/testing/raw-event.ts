import type { EventKind, NewEvent } from "../event.ts";
import type { JsonObject } from "../json.ts";

/** Creates an event with only the data that a test needs. Stores keep event data without reading it. */
export function createRawEvent(kind: EventKind, at: number, data: JsonObject = {}): NewEvent {
  return { kind, at, data } as unknown as NewEvent;
}
