import { randomUUID } from "node:crypto";
import type { Bench } from "../bench.ts";
import { told } from "../told.ts";
import { fail, notAsked, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/**
 * How much more memory one call may take. The system's figure holds what was not collected yet, which on a busy machine is
 * several times what the call needs. What grows with the input without a bound is still far above.
 */
const mostBytes = 512 * 1024 * 1024;
const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

export const large: Verification<Bench> = {
  name: "large",
  claim: "what is large ends in time and within bounds",
  after: ["reset"],
  concerns: () => true,
  async verify(bench) {
    const inputs = bench.case.large ?? [];
    if (inputs.length === 0)
      return notAsked("Give the case `large`: inputs that are, or lead to large outputs.");
    let most = 0;
    for (const [index] of inputs.entries()) {
      await bench.begin();
      const performer = await bench.troupe.fresh();
      const patienceMs = bench.contract.timeoutMs + 5_000;
      const call = randomUUID();
      const answer = await performer.ask(
        { kind: "large", case: bench.index, large: index, call },
        patienceMs,
      );
      await performer.end();
      const which = `Large input ${index + 1}`;
      if (answer.kind === "fault")
        return fail(`${which} ended in no fault of its own making: ${told(answer)}`);
      if (answer.kind !== "done") return fail(`${which}: ${told(answer)}.`);
      const { grownBytes, ms } = answer.value;
      if (grownBytes > mostBytes) return fail(`${which} took ${mebibytes(grownBytes)} more memory.`);
      if (ms > bench.contract.timeoutMs) return fail(`${which} took ${Math.round(ms)} ms.`);
      most = Math.max(most, grownBytes);
    }
    return pass(`${inputs.length} handled with at most ${mebibytes(most)} more memory`);
  },
};
