import { type Call, cloudEventType, type RecordedEvent } from "@paraph/core";
import type { ObservationView } from "../../services/observation-service.ts";

/** Returns an event of a call in the form of CloudEvents 1.0. */
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
 * Returns an observation in the form of CloudEvents 1.0. A reader gets the observation with its data. [P10] A webhook
 * gets it without subject and data, and only learns that there is something to read.
 */
export function toObservationEvent(
  tenant: string,
  {
    observedAt,
    ...data
  }: Pick<ObservationView, "seq" | "adapter" | "kind" | "observedAt"> & Partial<ObservationView>,
) {
  return {
    specversion: "1.0" as const,
    id: `obs_${tenant}_${data.seq}`,
    source: "/v1/observations",
    type: "dev.paraph.observation.v1",
    time: new Date(observedAt).toISOString(),
    datacontenttype: "application/json" as const,
    data: { ...data, ...(data.at !== undefined && { at: new Date(data.at).toISOString() }) },
  };
}
