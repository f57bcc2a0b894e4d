/** The thresholds above which a value is unusual. */
export interface OutlierOptions {
  /** The number of robust standard deviations beyond which a value is unusual. */
  readonly deviations?: number;
  /** The value up to which, and including which, no value is unusual. */
  readonly upTo?: number;
}

/** The minimum number of earlier calls that a check needs. If there are fewer, the usual range is unknown. */
export const minEarlierCalls = 20;

/**
 * Returns the highest usual value. It uses the median and the median absolute deviation, which a few extreme values
 * cannot shift. Values up to twice the median are always usual. Otherwise any increase would be unusual for a principal
 * with constant values.
 */
export function computeUsualMax(
  earlier: readonly number[],
  { deviations = 6, upTo = 0 }: OutlierOptions,
): number {
  const middle = findMedian(earlier);
  const spread = findMedian(earlier.map((value) => Math.abs(value - middle)));
  // The factor 1.4826 makes the deviation comparable to a standard deviation for normally distributed values.
  return Math.max(upTo, 2 * middle, middle + deviations * 1.4826 * spread);
}

export function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
