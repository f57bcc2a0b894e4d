import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass, skip } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const undoVerification: Verification<CaseContext> = {
  name: "undo",
  rule: "P13",
  claim: "undo restores the external system",
  after: ["reset", "apply", "preview"],
  appliesTo: ({ offer }) => offer.canUndo,
  async verify(context) {
    const before = await context.resetCase();
    const lead = await context.pool.main();
    const acted = await context.perform(lead, context.createAttempt());
    if (acted.kind !== "done") return fail(`It failed: ${describeAnswer(acted)}`);
    const { capability, input } = context.case;
    const way = await lead.send({ kind: "undo", capability, input, output: acted.value });
    if (way.kind !== "done") return fail(`It could not return its undo: ${describeAnswer(way)}`);
    if (way.value === null) return skip("It offers no undo for this input. Add a case that can be undone.");
    const back = way.value;
    if (!context.offered.some(({ contract }) => contract.name === back.capability)) {
      return fail(`The undo is \`${back.capability}\`, which the adapter does not offer.`);
    }
    const undone = await context.perform(lead, context.createAttempt(back));
    if (undone.kind !== "done")
      return fail(`The undo \`${back.capability}\` failed: ${describeAnswer(undone)}`);
    const after = await context.takeSnapshot();
    return after === before
      ? pass(`\`${back.capability}\` restored it`)
      : fail(`The undo did not restore the external system: ${describeDifference(before, after)}.`);
  },
};
