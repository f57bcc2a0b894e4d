import { randomUUID } from "node:crypto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { Telemetry } from "@paraph/core";
import type { Allowed, spanAttributes } from "./allow-list.ts";
import { createGauges, createInstruments, type GaugeSource } from "./instruments.ts";
import { createPrometheusText, OnDemandReader } from "./prometheus.ts";
import { createTracing } from "./tracing.ts";

/** The options of `startTelemetry`. */
export interface TelemetryOptions {
  readonly service: "paraph";
  readonly version: string;
  readonly role: "api" | "worker" | "all";
  /** The collector for traces and metrics (default: `OTEL_EXPORTER_OTLP_ENDPOINT`). */
  readonly otlpEndpoint?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The telemetry of one process. */
export interface TelemetryRuntime {
  readonly telemetry: Telemetry;
  /**
   * The state of the export. With `endpoint-invalid`, the caller should warn that the endpoint is not an HTTP address.
   */
  readonly exporting: "on" | "off" | "endpoint-invalid";
  metricsText(): Promise<string>;
  /** Adds a source of gauges, which is read whenever metrics are collected. */
  addGauges(source: GaugeSource): void;
  /**
   * Runs the body in a span. The span joins the trace that the traceparent names, else the active trace, else a new
   * trace.
   */
  runInTrace<T>(
    name: string,
    traceparent: string | undefined,
    about: Allowed<typeof spanAttributes>,
    body: () => Promise<T>,
  ): Promise<T>;
  /** Returns the traceparent to store with a call, so that later segments stay in the call's trace. */
  currentTraceparent(): string | undefined;
  /** Exports the remaining data, for at most 2.5 seconds. */
  stop(): Promise<void>;
}

/** Starts telemetry with its own providers. It registers nothing globally, and its functions never throw. */
export async function startTelemetry(options: TelemetryOptions): Promise<TelemetryRuntime> {
  const endpoint = readEndpoint(options);
  const resource = createResource(options);
  const exporters = endpoint.url === undefined ? undefined : await openExporters(endpoint.url, resource);
  const tracer = exporters?.tracer;
  const reader = exporters?.reader ?? new OnDemandReader();
  const meter = new MeterProvider({ resource, readers: [reader] });

  const { span, runInTrace, currentTraceparent } = createTracing(
    tracer?.getTracer(options.service, options.version),
  );
  const instruments = meter.getMeter(options.service, options.version);
  const record = createInstruments(instruments);
  const measure: Telemetry["measure"] = (name, value, about) => {
    try {
      record(name, value, about);
    } catch {
      // Ignores the error, because losing a measurement is better than failing the caller.
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    telemetry: { span, measure },
    exporting: endpoint.exporting,
    metricsText: createPrometheusText(reader),
    addGauges: createGauges(instruments),
    runInTrace,
    currentTraceparent,
    stop: () => {
      stopped ??= waitBriefly([tracer?.shutdown(), meter.shutdown()]);
      return stopped;
    },
  };
}

/** Loads the exporters only for a process that exports. */
async function openExporters(url: string, resource: Resource) {
  const { createOtlpReader, createOtlpTracer } = await import("./otlp.ts");
  return { tracer: createOtlpTracer(url, resource), reader: createOtlpReader(url) };
}

function readEndpoint({ otlpEndpoint, env = process.env }: TelemetryOptions): {
  readonly exporting: TelemetryRuntime["exporting"];
  readonly url?: string;
} {
  const url = otlpEndpoint ?? env.OTEL_EXPORTER_OTLP_ENDPOINT ?? "";
  if (url === "") return { exporting: "off" };
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return { exporting: "endpoint-invalid" };
  return { exporting: "on", url };
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

async function waitBriefly(work: readonly (Promise<void> | undefined)[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 2_500);
  });
  await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(timer);
}
