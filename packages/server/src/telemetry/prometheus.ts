import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { MetricReader } from "@opentelemetry/sdk-metrics";

/** A reader that only answers when asked. */
export class OnDemandReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/**
 * Metrics in Prometheus' text format, from the one reader there is: a second one, never asked, would keep
 * everything it was not asked for, for ever.
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
