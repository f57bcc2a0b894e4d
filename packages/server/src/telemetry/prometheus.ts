import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { MetricReader } from "@opentelemetry/sdk-metrics";

/** A metric reader that collects only on demand. */
export class OnDemandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/**
 * Returns a function that formats metrics as Prometheus text. It uses the process's only reader, because a second
 * reader that is never collected would accumulate data without limit.
 */
export function createPrometheusText(reader: MetricReader): () => Promise<string> {
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return async () => {
    try {
      const { resourceMetrics } = await reader.collect();
      return `${serializer.serialize(resourceMetrics).trimEnd()}\n`;
    } catch {
      return "# no metrics\n";
    }
  };
}
