import { randomUUID } from "node:crypto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { createPrometheusText, OnDemandReader } from "./prometheus.ts";
import type { TelemetryOptions } from "./start-telemetry.ts";

/** Opens the SDK of OpenTelemetry with its own providers. It exports to the endpoint, if there is one. */
export async function openSdk(options: TelemetryOptions, endpoint: string | undefined) {
  const { service, version } = options;
  const resource = createResource(options);
  const exporters = endpoint === undefined ? undefined : await openExporters(endpoint, resource);
  const reader = exporters?.reader ?? new OnDemandReader();
  const meters = new MeterProvider({ resource, readers: [reader] });
  return {
    tracer: exporters?.tracer.getTracer(service, version),
    meter: meters.getMeter(service, version),
    metricsText: createPrometheusText(reader),
    shutdown: () => [meters.shutdown(), ...(exporters ? [exporters.tracer.shutdown()] : [])],
  };
}

/** Loads the exporters only for a process that exports. */
async function openExporters(url: string, resource: Resource) {
  const { createOtlpReader, createOtlpTracer } = await import("./otlp.ts");
  return { tracer: createOtlpTracer(url, resource), reader: createOtlpReader(url) };
}

/**
 * Returns the resource of this process. The id of each resource is unique, because metrics of two processes with the
 * same id would overwrite each other.
 */
function createResource({ service, version, role }: TelemetryOptions): Resource {
  return resourceFromAttributes({
    "service.name": service,
    "service.version": version,
    "service.instance.id": randomUUID(),
    "paraph.role": role,
  });
}
