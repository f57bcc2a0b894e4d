/** How far from usual is unusual, and how much must be known before anything is. */
export interface OutlierOptions {
  /** So many robust standard deviations above the median: 6 unless said. */
  readonly deviations?: number;
  /** Never unusual up to this. */
  readonly upTo?: number;
}

/** Fewer earlier calls than this say nothing about what is usual. */
export const minEarlierCalls = 20;

/**
 * The highest value that is still usual: the median and the median absolute deviation, which a few odd values
 * cannot move. Twice the median is always usual, or a principal that never varies could never change at all.
 */
export function computeUsualMax(
  earlier: readonly number[],
  { deviations = 6, upTo = 0 }: OutlierOptions,
): number {
  const middle = findMedian(earlier);
  const spread = findMedian(earlier.map((value) => Math.abs(value - middle)));
  // 1.4826 makes the deviation comparable with a standard deviation where values are normally distributed.
  return Math.max(upTo, 2 * middle, middle + deviations * 1.4826 * spread);
}

export function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
