import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const applyVerification: Verification<CaseContext> = {
  name: "apply",
  claim: "apply succeeds, and its output matches its schema",
  after: ["reset"],
  appliesTo: () => true,
  async verify(context) {
    const before = await context.resetCase();
    const answer = await context.perform(await context.pool.main(), context.createAttempt());
    if (answer.kind !== "done") return fail(`It failed: ${describeAnswer(answer)}`);
    if (answer.unfit) return fail(`The output does not match its schema: ${answer.unfit.join("; ")}.`);
    const after = await context.takeSnapshot();
    if (context.contract.effect === "read" && after !== before) {
      return fail(`It is a read, but it changed something: ${describeDifference(before, after)}.`);
    }
    return pass(context.contract.effect === "read" ? "it changed nothing" : "it took effect");
  },
};
