import type { Capability } from "@paraph/core";
import { defineCheck, nothingToJudge, passedUnless } from "./define-check.ts";
import type { History } from "./history.ts";
import type { Turns } from "./turns.ts";
import { fewestCalls, type UnusualOptions, usualUpTo } from "./unusual.ts";

export type RateOptions = UnusualOptions;

/** Many more calls within the hour than this principal has been making. */
export function rateCheck(options: RateOptions, history: History, turns: Turns): Capability {
  const usual = { upTo: 10, ...options };
  return defineCheck(
    {
      what: "rate",
      summary: "Compare the calls of this hour with the principal's earlier hours",
      timeout: "10s",
      judge: async ({ call, capability, principal }, { tenant }) => {
        const { thisHour, earlierHours } = await history.of({ tenant, principal, capability, call });
        const earlier = earlierHours.reduce((sum, calls) => sum + calls, 0);
        if (earlier < fewestCalls)
          return nothingToJudge(
            "history-too-short",
            `There are ${earlier} calls in earlier hours to compare with; ${fewestCalls} are needed.`,
          );
        const limit = Math.floor(usualUpTo(earlierHours, usual));
        if (thisHour <= limit) return passedUnless([]);
        const sentence = `This principal has made ${thisHour} such calls within the hour; up to ${limit} would be usual.`;
        return passedUnless([{ code: "rate-unusual", sentence }]);
      },
    },
    turns,
  );
}
