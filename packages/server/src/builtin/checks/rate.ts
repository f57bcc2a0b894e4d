import type { Capability } from "@paraph/core";
import type { ConcurrencyQueue } from "./concurrency-queue.ts";
import { createPassedVerdict, defineCheck, toVerdict } from "./define-check.ts";
import { computeUsualMax, minEarlierCalls, type OutlierOptions } from "./outliers.ts";
import type { UsageHistory } from "./usage-history.ts";

/** Options of `check.rate`. */
export type RateOptions = OutlierOptions;

/**
 * Creates `check.rate`. It reports a finding if the principal called the capability far more often in the last hour
 * than usual.
 */
export function createRateCheck(
  options: RateOptions,
  history: UsageHistory,
  turns: ConcurrencyQueue,
): Capability {
  const usual = { upTo: 10, ...options };
  return defineCheck(
    {
      name: "rate",
      summary: "Compare the calls of this hour with the principal's earlier hours",
      timeout: "10s",
      judge: async ({ call, capability, principal }, { tenant }) => {
        const { thisHour, earlierHours } = await history.of({ tenant, principal, capability, call });
        const earlier = earlierHours.reduce((sum, calls) => sum + calls, 0);
        if (earlier < minEarlierCalls)
          return createPassedVerdict(
            "history-too-short",
            `There are ${earlier} calls in earlier hours to compare with; ${minEarlierCalls} are needed.`,
          );
        const limit = Math.floor(computeUsualMax(earlierHours, usual));
        if (thisHour <= limit) return toVerdict([]);
        const sentence = `This principal has made ${thisHour} calls of this capability within the hour; up to ${limit} would be usual.`;
        return toVerdict([{ code: "rate-unusual", sentence }]);
      },
    },
    turns,
  );
}
