import type { Attributes } from "@opentelemetry/api";

const most = 1_000;
const overflow: Attributes = { "otel.metric.overflow": true };

/**
 * Bounds the series of one instrument for as long as the process lives; what comes later shares one.
 * The SDK's own limit starts anew with every collection of cumulative metrics, so it bounds nothing.
 */
export function boundedSeries(): (about: Attributes) => Attributes {
  const seen = new Map<string, Attributes>();
  return (about) => {
    const key = JSON.stringify(about);
    const known = seen.get(key);
    if (known) return known;
    if (seen.size >= most) return overflow;
    seen.set(key, about);
    return about;
  };
}
