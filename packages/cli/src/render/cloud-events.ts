import type { Event, EventKind } from "@paraph/core";
import type { CloudEventView } from "../views.ts";

/** Back from the public names: only a closing event has an outcome, and it is published under it. */
export function eventsFrom(events: readonly CloudEventView[]): Event[] {
  return events.map(({ id, type, time, data }) => {
    const name = /^dev\.paraph\.call\.(.+)\.v1$/.exec(type)?.[1] ?? type;
    const kind = data.outcome === undefined ? (name as EventKind) : "closed";
    return { seq: Number(id.slice(id.lastIndexOf(".") + 1)), kind, at: Date.parse(time), data };
  });
}
