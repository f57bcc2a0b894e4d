import { canonical, type Json } from "@paraph/core";
import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const previewVerification: Verification<CaseContext> = {
  name: "preview",
  rule: "P3",
  claim: "preview changes nothing",
  after: ["reset"],
  appliesTo: ({ contract }) => contract.previews,
  async verify(context) {
    const before = await context.resetCase();
    const looked = await (await context.pool.main()).send({ kind: "preview", ...context.createAttempt() });
    if (looked.kind !== "done") return fail(`It failed: ${describeAnswer(looked)}`);
    const after = await context.takeSnapshot();
    return after === before
      ? pass("the external system did not change")
      : fail(`It changed something: ${describeDifference(before, after)}.`);
  },
};

/**
 * Previews in two processes, because one process previews at admission and another one before the effect. Both previews
 * must be equal.
 */
export const previewAgainVerification: Verification<CaseContext> = {
  name: "preview-again",
  rule: "P5",
  claim: "two previews of the same state are equal",
  after: ["reset", "preview"],
  appliesTo: ({ contract }) => contract.previews,
  async verify(context) {
    await context.resetCase();
    const attempt = context.createAttempt();
    const one = await (await context.pool.main()).send({ kind: "preview", ...attempt });
    const two = await (await context.pool.second()).send({ kind: "preview", ...attempt });
    if (one.kind !== "done" || two.kind !== "done")
      return fail(`It failed: ${describeAnswer(one)}; ${describeAnswer(two)}`);
    const [first, second] = [one, two].map(({ value }) => canonical(value as unknown as Json));
    return first === second
      ? pass("two processes gave the same changes and basis")
      : fail(`The previews of two processes differ: ${describeDifference(first!, second!)}.`);
  },
};
