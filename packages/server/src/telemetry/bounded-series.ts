import type { Attributes } from "@opentelemetry/api";

const maxSeries = 1_000;
const overflowAttributes: Attributes = { "otel.metric.overflow": true };

/**
 * Limits the number of series of one instrument for the life of the process. All series beyond the limit share one
 * series. The SDK's own limit has no effect, because it resets with every collection of cumulative metrics.
 */
export function createBoundedSeries(): (attributes: Attributes) => Attributes {
  const seen = new Map<string, Attributes>();
  return (attributes) => {
    const key = JSON.stringify(attributes);
    const known = seen.get(key);
    if (known) return known;
    if (seen.size >= maxSeries) return overflowAttributes;
    seen.set(key, attributes);
    return attributes;
  };
}
