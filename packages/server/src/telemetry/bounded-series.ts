import type { Attributes } from "@opentelemetry/api";

const maxSeries = 1_000;
const overflowAttributes: Attributes = { "otel.metric.overflow": true };

/**
 * Limits the series of one instrument for the life of the process. Later series share one. The SDK's own limit resets
 * with every collection of cumulative metrics, so it limits nothing.
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
