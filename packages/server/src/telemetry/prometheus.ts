import { AggregationTemporality, InstrumentType, MetricReader } from "@opentelemetry/sdk-metrics";

/**
 * Makes counters and histograms cumulative. Gauges are not, because a reader would then repeat the last value of a gauge
 * that could not be read.
 */
export function selectTemporality(type: InstrumentType): AggregationTemporality {
  return type === InstrumentType.OBSERVABLE_GAUGE
    ? AggregationTemporality.DELTA
    : AggregationTemporality.CUMULATIVE;
}

/** A metric reader that collects only on demand. */
export class OnDemandReader extends MetricReader {
  override selectAggregationTemporality = selectTemporality;
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/**
 * Returns a function that formats metrics as Prometheus text. It uses the process's only reader, because a second
 * reader that is never collected would accumulate data without limit.
 */
export function createPrometheusText(reader: MetricReader): () => Promise<string> {
  return async () => {
    const { PrometheusSerializer } = await import("@opentelemetry/exporter-prometheus");
    const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
    try {
      const { resourceMetrics } = await reader.collect();
      return `${serializer.serialize(resourceMetrics).trimEnd()}\n`;
    } catch {
      return "# no metrics\n";
    }
  };
}
