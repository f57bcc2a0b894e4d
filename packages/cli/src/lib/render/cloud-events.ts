import type { EventKind, RecordedEvent } from "@paraph/core";
import type { CloudEventView } from "../api/api-views.ts";

/**
 * Converts public events back to events of a call. A closing event is published under the name of its outcome, so the
 * function restores the kind `closed`.
 */
export function toCallEvents(events: readonly CloudEventView[]): RecordedEvent[] {
  return events.map(({ id, type, time, data }) => {
    const name = /^dev\.paraph\.call\.(.+)\.v1$/.exec(type)?.[1] ?? type;
    const kind = name === data.outcome ? "closed" : (name as EventKind);
    return { seq: Number(id.slice(id.lastIndexOf(".") + 1)), kind, at: Date.parse(time), data };
  });
}
