/** The median of a sample, and its lowest and highest value. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export function computeSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: computeQuantile(sorted, 0.5),
    low: sorted[0] ?? Number.NaN,
    high: sorted.at(-1) ?? Number.NaN,
  };
}

export function computeMedian(values: readonly number[]): number {
  return computeSpread(values).median;
}

export function computeLatency(milliseconds: readonly number[]): Latency {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50: computeQuantile(sorted, 0.5),
    p95: computeQuantile(sorted, 0.95),
    p99: computeQuantile(sorted, 0.99),
  };
}

/** Interpolates between the two nearest values. */
function computeQuantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
