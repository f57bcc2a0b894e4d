import { sameJson } from "@paraph/core";
import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass, skip } from "../verdict.ts";
import type { Verification } from "../verification.ts";

const changeBasisHint =
  "Add `changeBasis` to the case. This function must change the basis of the preview, as another user would.";

export const basisVerification: Verification<CaseContext> = {
  name: "basis",
  rule: "P5",
  claim: "the basis changes with the external system",
  after: ["reset", "preview", "preview-again"],
  appliesTo: ({ contract }) => contract.previews && contract.effect !== "read",
  async verify(context) {
    const { changeBasis } = context.case;
    if (!changeBasis) return skip(changeBasisHint);
    await context.resetCase();
    const lead = await context.pool.main();
    const attempt = context.createAttempt();
    const before = await lead.send({ kind: "preview", ...attempt });
    await changeBasis(context.fixture);
    const after = await lead.send({ kind: "preview", ...attempt });
    if (before.kind !== "done") return fail(`The preview failed: ${describeAnswer(before)}`);
    if (after.kind === "fault")
      return pass(`after the change, the preview fails with \`${after.fault.code}\``);
    if (after.kind !== "done") return fail(`After the change, the preview failed: ${describeAnswer(after)}`);
    return sameJson(before.value.basis, after.value.basis)
      ? fail("The external system changed, but the basis is still the same.")
      : pass("the basis changed with the external system");
  },
};

export const basisChangedVerification: Verification<CaseContext> = {
  name: "basis-changed",
  rule: "P7",
  claim: "if the basis changed, apply changes nothing and reports a fault",
  after: ["reset", "preview", "preview-again", "basis"],
  appliesTo: ({ contract }) => contract.previews && contract.idempotency === "probe",
  async verify(context) {
    const { changeBasis } = context.case;
    if (!changeBasis) return skip(changeBasisHint);
    await context.resetCase();
    const lead = await context.pool.main();
    const approved = await context.withBasis(lead, context.createAttempt());
    await changeBasis(context.fixture);
    const before = await context.takeSnapshot();
    const answer = await lead.send({ kind: "apply", ...approved });
    const after = await context.takeSnapshot();
    if (after !== before)
      return fail(`The basis changed, but apply still had an effect: ${describeDifference(before, after)}.`);
    if (answer.kind !== "fault")
      return fail(`It changed nothing, but reported no fault: ${describeAnswer(answer)}.`);
    return answer.fault.kind === "ambiguous"
      ? fail(`It changed nothing, but reported an ambiguous fault: ${describeAnswer(answer)}`)
      : pass(`it failed with \`${answer.fault.code}\``);
  },
};
