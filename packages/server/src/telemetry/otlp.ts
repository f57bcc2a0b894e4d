import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import { AggregationTemporality, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

/** One export with all its retries ends within this, so that a dead collector holds no process for long. */
const timeoutMillis = 3_000;

/** Headers, certificates and compression come from the `OTEL_EXPORTER_OTLP_*` variables, which the exporters read. */
export function createOtlpTracer(endpoint: string, resource: Resource): TracerProvider {
  const exporter = new OTLPTraceExporter({ url: toSignalUrl(endpoint, "traces"), timeoutMillis });
  return new TracerProvider({
    resource,
    // A caller's "not sampled" does not hide its calls from the operator.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeoutMillis })],
  });
}

/** Cumulative whatever the environment prefers, because the Prometheus text is read from here too. */
export function createOtlpReader(endpoint: string): PeriodicExportingMetricReader {
  const exporter = new OTLPMetricExporter({
    url: toSignalUrl(endpoint, "metrics"),
    timeoutMillis,
    temporalityPreference: AggregationTemporality.CUMULATIVE,
  });
  return new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 60_000,
    exportTimeoutMillis: timeoutMillis,
  });
}

function toSignalUrl(endpoint: string, name: "traces" | "metrics"): string {
  return `${endpoint.replace(/\/+$/, "")}/v1/${name}`;
}
