import { type Call, cloudEventType, type RecordedEvent } from "@paraph/core";
import type { ObservationView } from "../../services/types/observation-types.ts";

/** One fact as CloudEvents 1.0 says it. */
export function toCloudEvent(call: Pick<Call, "call">, event: RecordedEvent) {
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

/**
 * Something that was perceived: with its data for who may read it, and without subject and data [P10] for who is only told
 * that there is something to read.
 */
export function toObservationEvent(
  tenant: string,
  {
    seenAt,
    ...data
  }: Pick<ObservationView, "seq" | "adapter" | "kind" | "seenAt"> & Partial<ObservationView>,
) {
  return {
    specversion: "1.0" as const,
    id: `obs_${tenant}_${data.seq}`,
    source: "/v1/observations",
    type: "dev.paraph.observation.v1",
    time: new Date(seenAt).toISOString(),
    datacontenttype: "application/json" as const,
    data: { ...data, ...(data.at !== undefined && { at: new Date(data.at).toISOString() }) },
  };
}
