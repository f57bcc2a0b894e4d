import { type Capability, canonical } from "@paraph/core";
import { defineCheck, nothingToJudge, passedUnless } from "./define-check.ts";
import type { History } from "./history.ts";
import type { Turns } from "./turns.ts";
import { fewestCalls, type UnusualOptions, usualUpTo } from "./unusual.ts";

export type SizeOptions = UnusualOptions;

/** An input much larger than this principal's inputs to this capability have been. */
export function sizeCheck(options: SizeOptions, history: History, turns: Turns): Capability {
  const usual = { upTo: 1_024, ...options };
  return defineCheck(
    {
      what: "size",
      summary: "Compare the size of the input with the principal's earlier calls",
      timeout: "10s",
      judge: async ({ call, capability, principal, input }, { tenant }) => {
        const { sizes } = await history.of({ tenant, principal, capability, call });
        if (sizes.length < fewestCalls)
          return nothingToJudge(
            "history-too-short",
            `There are ${sizes.length} earlier calls to compare with; ${fewestCalls} are needed.`,
          );
        const bytes = Buffer.byteLength(canonical(input));
        const limit = Math.floor(usualUpTo(sizes, usual));
        if (bytes <= limit) return passedUnless([]);
        const sentence = `The input has ${bytes} bytes; up to ${limit} would be usual for this principal.`;
        return passedUnless([{ code: "size-unusual", path: "input", sentence }]);
      },
    },
    turns,
  );
}
