import { type Event, eventsOfKind } from "./event.ts";

/**
 * Returns the event that records the erasure of a call's payloads, or undefined if they were not erased. The first
 * erasure removes all payloads. Later ones only remove texts of messages that were written since.
 */
export function findErasure({ events }: { readonly events: readonly Event[] }): Event<"erased"> | undefined {
  return eventsOfKind(events, "erased")[0];
}
