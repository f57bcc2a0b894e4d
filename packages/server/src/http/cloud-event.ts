import { type Call, cloudEventType, type Event } from "@paraph/core";

/** One fact as CloudEvents 1.0 says it. */
export function cloudEvent(call: Pick<Call, "call">, event: Event) {
  return {
    specversion: "1.0" as const,
    id: `${call.call}.${event.seq}`,
    source: `/v1/calls/${call.call}`,
    type: cloudEventType(event),
    time: new Date(event.at).toISOString(),
    subject: call.call,
    datacontenttype: "application/json" as const,
    data: event.data,
  };
}
