import { randomUUID } from "node:crypto";
import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { fail, pass, skip } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/**
 * The maximum memory that one call may take. The operating system's figure includes memory that is not yet
 * garbage-collected. On a busy machine, the figure is several times the amount that the call needs. The limit is
 * therefore high. A call whose memory use grows with the input and has no bound still exceeds the limit by far.
 */
const maxGrowthBytes = 512 * 1024 * 1024;
const formatMebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

export const largeInputVerification: Verification<CaseContext> = {
  name: "large",
  claim: "large inputs end in time and within the memory limit",
  after: ["reset"],
  appliesTo: () => true,
  async verify(context) {
    const inputs = context.case.large ?? [];
    if (inputs.length === 0)
      return skip("Add `large` to the case: inputs that are large or have large outputs.");
    let max = 0;
    for (const [index] of inputs.entries()) {
      await context.resetCase();
      const performer = await context.pool.startFresh();
      const patienceMs = context.contract.timeoutMs + 5_000;
      const call = randomUUID();
      const answer = await performer.send(
        { kind: "large", case: context.index, large: index, call },
        patienceMs,
      );
      await performer.kill();
      const which = `Large input ${index + 1}`;
      if (answer.kind === "fault")
        return fail(`${which} failed with an error that is not a CapabilityError: ${describeAnswer(answer)}`);
      if (answer.kind !== "done") return fail(`${which}: ${describeAnswer(answer)}.`);
      const { grownBytes, ms } = answer.value;
      if (grownBytes > maxGrowthBytes)
        return fail(`${which} took ${formatMebibytes(grownBytes)} more memory.`);
      if (ms > context.contract.timeoutMs) return fail(`${which} took ${Math.round(ms)} ms.`);
      max = Math.max(max, grownBytes);
    }
    return pass(`${inputs.length} handled, using at most ${formatMebibytes(max)} more memory`);
  },
};
