import { type Capability, canonical } from "@paraph/core";
import type { ConcurrencyQueue } from "./concurrency-queue.ts";
import { createPassedVerdict, defineCheck, toVerdict } from "./define-check.ts";
import { computeUsualMax, minEarlierCalls, type OutlierOptions } from "./outliers.ts";
import type { UsageHistory } from "./usage-history.ts";

/** Options of `check.size`. */
export type SizeOptions = OutlierOptions;

/**
 * Creates `check.size`. It reports a finding if the input is much larger than this principal's earlier inputs to the
 * capability.
 */
export function createSizeCheck(
  options: SizeOptions,
  history: UsageHistory,
  turns: ConcurrencyQueue,
): Capability {
  const usual = { upTo: 1_024, ...options };
  return defineCheck(
    {
      name: "size",
      summary: "Compare the size of the input with the principal's earlier calls",
      timeout: "10s",
      judge: async ({ call, capability, principal, input }, { tenant }) => {
        const { sizes } = await history.of({ tenant, principal, capability, call });
        if (sizes.length < minEarlierCalls)
          return createPassedVerdict(
            "history-too-short",
            `There are ${sizes.length} earlier calls to compare with; ${minEarlierCalls} are needed.`,
          );
        const bytes = Buffer.byteLength(canonical(input));
        const limit = Math.floor(computeUsualMax(sizes, usual));
        if (bytes <= limit) return toVerdict([]);
        const sentence = `The input has ${bytes} bytes; up to ${limit} would be usual for this principal.`;
        return toVerdict([{ code: "size-unusual", path: "input", sentence }]);
      },
    },
    turns,
  );
}
