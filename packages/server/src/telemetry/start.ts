import { randomUUID } from "node:crypto";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { Telemetry } from "@paraph/core";
import type { Allowed, spanAttributes } from "./allow-list.ts";
import { instrumentsOf } from "./instruments.ts";
import { otlpReader, otlpTracer } from "./otlp.ts";
import { AskedReader, prometheusText } from "./prometheus.ts";
import { tracingWith } from "./tracing.ts";

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
  traced<T>(
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
  const endpoint = endpointOf(options);
  const resource = resourceOf(options);
  const tracer = endpoint.url === undefined ? undefined : otlpTracer(endpoint.url, resource);
  const reader = endpoint.url === undefined ? new AskedReader() : otlpReader(endpoint.url);
  const meter = new MeterProvider({ resource, readers: [reader] });

  const { span, traced, currentTraceparent } = tracingWith(
    tracer?.getTracer(options.service, options.version),
  );
  const record = instrumentsOf(meter.getMeter(options.service, options.version));
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
    metricsText: prometheusText(reader),
    traced,
    currentTraceparent,
    stop: () => {
      stopped ??= briefly([tracer?.shutdown(), meter.shutdown()]);
      return stopped;
    },
  };
}

function endpointOf({ otlpEndpoint, env = process.env }: TelemetryOptions): {
  readonly exporting: TelemetryRuntime["exporting"];
  readonly url?: string;
} {
  const url = otlpEndpoint ?? env.OTEL_EXPORTER_OTLP_ENDPOINT ?? "";
  if (url === "") return { exporting: "off" };
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return { exporting: "endpoint-invalid" };
  return { exporting: "on", url };
}

/** Two processes that send the same metrics have to differ, or their sums overwrite each other. */
function resourceOf({ service, version, role }: TelemetryOptions): Resource {
  return resourceFromAttributes({
    "service.name": service,
    "service.version": version,
    "service.instance.id": randomUUID(),
    "paraph.role": role,
  });
}

async function briefly(work: readonly (Promise<void> | undefined)[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 2_500);
  });
  await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(timer);
}
