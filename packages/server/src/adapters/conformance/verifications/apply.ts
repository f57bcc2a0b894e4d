import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const applyVerification: Verification<CaseContext> = {
  name: "apply",
  claim: "it does what it is there for, and its output fits its schema",
  after: ["reset"],
  appliesTo: () => true,
  async verify(bench) {
    const before = await bench.resetCase();
    const answer = await bench.perform(await bench.pool.main(), bench.createAttempt());
    if (answer.kind !== "done") return fail(`It failed: ${describeAnswer(answer)}`);
    if (answer.unfit) return fail(`The output does not fit its schema: ${answer.unfit.join("; ")}.`);
    const after = await bench.takeSnapshot();
    if (bench.contract.effect === "read" && after !== before) {
      return fail(`It is a read, and changed something: ${describeDifference(before, after)}.`);
    }
    return pass(bench.contract.effect === "read" ? "it read, and changed nothing" : "it took effect");
  },
};
