import { sameJson } from "@paraph/core";
import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass, skip } from "../verdict.ts";
import type { Verification } from "../verification.ts";

const changeBasisHint = "Give the case `move`: somebody else changes what the preview rests on.";

export const basisVerification: Verification<CaseContext> = {
  name: "basis",
  rule: "P5",
  claim: "the basis changes with the outside system",
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
    if (after.kind === "fault") return pass(`once moved, the preview refuses with \`${after.fault.code}\``);
    if (after.kind !== "done") return fail(`Once moved, the preview failed: ${describeAnswer(after)}`);
    return sameJson(before.value.basis, after.value.basis)
      ? fail("Somebody else changed what it rests on, and the basis is still the same.")
      : pass("it changed with the outside system");
  },
};

export const basisChangedVerification: Verification<CaseContext> = {
  name: "basis-moved",
  rule: "P7",
  claim: "on a basis that moved, apply changes nothing and says so",
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
    if (after !== before) return fail(`It acted all the same: ${describeDifference(before, after)}.`);
    if (answer.kind !== "fault")
      return fail(`It changed nothing, but does not say so: ${describeAnswer(answer)}.`);
    return answer.fault.kind === "ambiguous"
      ? fail(`Nothing changed, and it says that nobody knows: ${describeAnswer(answer)}`)
      : pass(`it refused with \`${answer.fault.code}\``);
  },
};
