import type { CedarValueJson } from "@cedar-policy/cedar-wasm/nodejs";
import { isJsonObject, type Preview } from "@paraph/core";

/**
 * The sums that policy can read. `rows` and `amount` (in minor units) come from the `details` of changes. `cost` is the
 * total cost of a plan's steps.
 */
export const previewSums = ["rows", "amount", "cost"] as const;

/**
 * Returns the preview as a Cedar value. A sum is left out if no change or step has a value for it, because an unknown
 * sum is not 0.
 */
export function toPreviewValue({ changes, steps = [] }: Preview, faults: string[]): CedarValueJson {
  const details = changes.flatMap((change) => (change.details === undefined ? [] : [change.details]));
  if (!details.every(isJsonObject)) faults.push("preview-unfit:preview.details");
  const sums = previewSums.flatMap((name) => {
    const counted =
      name === "cost"
        ? steps.map(({ cost }) => cost)
        : details.flatMap((one) => (Object.hasOwn(Object(one), name) ? [one[name]] : []));
    return counted.length === 0 ? [] : [[name, sumCounts(counted, `preview.${name}`, faults)] as const];
  });
  return {
    changes: changes.length,
    kinds: changes.map((change) => change.kind),
    targets: changes.map((change) => change.target),
    steps: steps.length,
    risks: [...new Set(steps.map(({ risk }) => risk))],
    ...Object.fromEntries(sums),
  };
}

/** Sums the counts. A negative or fractional count is a fault, because it could hide a part of the other counts. */
function sumCounts(counted: readonly unknown[], path: string, faults: string[]): number {
  const sum = counted.reduce<number>((all, one) => all + (isCount(one) ? one : Number.NaN), 0);
  if (!Number.isSafeInteger(sum)) faults.push(`preview-unfit:${path}`);
  return sum;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
