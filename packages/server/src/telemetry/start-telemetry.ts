import { randomUUID } from "node:crypto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { Telemetry } from "@paraph/core";
import type { Allowed, spanAttributes } from "./allow-list.ts";
import { createInstruments } from "./instruments.ts";
import { createOtlpReader, createOtlpTracer } from "./otlp.ts";
import { createPrometheusText, OnDemandReader } from "./prometheus.ts";
import { createTracing } from "./tracing.ts";

export interface TelemetryOptions {
  readonly service: "paraph";
  readonly version: string;
  readonly role: "api" | "worker" | "all";
  /** Where traces and metrics are sent; `OTEL_EXPORTER_OTLP_ENDPOINT` unless given. */
  readonly otlpEndpoint?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface TelemetryRuntime {
  readonly telemetry: Telemetry;
  /** Whether anything is sent; an endpoint that is not an HTTP address is worth a warning. */
  readonly exporting: "on" | "off" | "endpoint-invalid";
  metricsText(): Promise<string>;
  /** Runs the body in a span of the trace that the traceparent names, or of the one around it, or of a new one. */
  runInTrace<T>(
    name: string,
    traceparent: string | undefined,
    about: Allowed<typeof spanAttributes>,
    body: () => Promise<T>,
  ): Promise<T>;
  /** To be kept with a call, so that whoever goes on with it stays in its trace. */
  currentTraceparent(): string | undefined;
  /** Sends what is left, for at most two and a half seconds. */
  stop(): Promise<void>;
}

/** Starts telemetry with providers of its own: nothing is registered globally, nothing it does throws. */
export function startTelemetry(options: TelemetryOptions): TelemetryRuntime {
  const endpoint = readEndpoint(options);
  const resource = createResource(options);
  const tracer = endpoint.url === undefined ? undefined : createOtlpTracer(endpoint.url, resource);
  const reader = endpoint.url === undefined ? new OnDemandReader() : createOtlpReader(endpoint.url);
  const meter = new MeterProvider({ resource, readers: [reader] });

  const {
    span,
    runInTrace: traced,
    currentTraceparent,
  } = createTracing(tracer?.getTracer(options.service, options.version));
  const record = createInstruments(meter.getMeter(options.service, options.version));
  const measure: Telemetry["measure"] = (name, value, about) => {
    try {
      record(name, value, about);
    } catch {
      // A lost measurement is the smaller loss.
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    telemetry: { span, measure },
    exporting: endpoint.exporting,
    metricsText: createPrometheusText(reader),
    runInTrace: traced,
    currentTraceparent,
    stop: () => {
      stopped ??= waitBriefly([tracer?.shutdown(), meter.shutdown()]);
      return stopped;
    },
  };
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

/** Two processes that send the same metrics have to differ, or their sums overwrite each other. */
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
