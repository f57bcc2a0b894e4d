import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import { PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { selectTemporality } from "./prometheus.ts";

/**
 * The maximum time of one export, including its retries. It keeps an unreachable collector from delaying the process.
 */
const timeoutMillis = 3_000;

/**
 * Creates the tracer. The exporters read headers, certificates and compression from the `OTEL_EXPORTER_OTLP_*`
 * variables.
 */
export function createOtlpTracer(endpoint: string, resource: Resource): TracerProvider {
  const exporter = new OTLPTraceExporter({ url: toSignalUrl(endpoint, "traces"), timeoutMillis });
  return new TracerProvider({
    resource,
    // Samples every trace. Otherwise, a caller's "not sampled" flag would hide the caller's calls from the operator.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeoutMillis })],
  });
}

/** Reads as the Prometheus text needs it, regardless of the environment, because the text uses the same reader. */
class OtlpReader extends PeriodicExportingMetricReader {
  override selectAggregationTemporality = selectTemporality;
}

/** Creates the metric reader. */
export function createOtlpReader(endpoint: string): PeriodicExportingMetricReader {
  const exporter = new OTLPMetricExporter({
    url: toSignalUrl(endpoint, "metrics"),
    timeoutMillis,
  });
  return new OtlpReader({
    exporter,
    exportIntervalMillis: 60_000,
    exportTimeoutMillis: timeoutMillis,
  });
}

function toSignalUrl(endpoint: string, name: "traces" | "metrics"): string {
  return `${endpoint.replace(/\/+$/, "")}/v1/${name}`;
}
