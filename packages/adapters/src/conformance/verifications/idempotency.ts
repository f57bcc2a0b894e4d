import { isJsonObject, type Json, sameJson } from "@paraph/core";
import type { CaseContext } from "../case-context.ts";
import { describeAnswer } from "../describe-answer.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass, type Verdict } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/**
 * Repeats or probes a call in a different process from the one that applied it. An adapter that keeps its state in
 * memory therefore fails.
 */
export const idempotencyVerification: Verification<CaseContext> = {
  name: "idempotency",
  rule: "P7",
  claim: "repeating or probing a call works as declared",
  after: ["reset", "apply", "preview"],
  appliesTo: ({ contract }) => contract.effect !== "read" && contract.idempotency !== "none",
  verify: (context) =>
    context.contract.idempotency === "probe" ? verifyProbe(context) : verifyRepeat(context),
};

/** Applies the same call twice, for natural and keyed contracts. */
async function verifyRepeat(context: CaseContext): Promise<Verdict> {
  await context.resetCase();
  const lead = await context.pool.main();
  const call = await context.withBasis(lead, context.createAttempt());
  const first = await lead.send({ kind: "apply", ...call });
  const once = await context.takeSnapshot();
  const second = await (await context.pool.second()).send({ kind: "apply", ...call, attempt: 2 });
  const twice = await context.takeSnapshot();
  const { idempotency } = context.contract;
  if (first.kind !== "done") return fail(`The first attempt failed: ${describeAnswer(first)}`);
  if (second.kind !== "done")
    return fail(`It is ${idempotency}, but the second attempt failed: ${describeAnswer(second)}`);
  if (once !== twice)
    return fail(
      `It is ${idempotency}, but two attempts had a different effect than one attempt: ${describeDifference(once, twice)}.`,
    );
  if (idempotency === "natural") return pass("two attempts had one effect");
  return sameJson(first.value, second.value)
    ? pass("two attempts had one effect and one output")
    : fail("Two attempts with the same key gave different outputs.");
}

/** Probes a call of a probe contract before and after `apply`. Expects `absent` before and `present` after. */
async function verifyProbe(context: CaseContext): Promise<Verdict> {
  const start = await context.resetCase();
  const lead = await context.pool.main();
  const call = await context.withBasis(lead, context.createAttempt());
  const before = await lead.send({ kind: "probe", ...call });
  const looked = await context.takeSnapshot();
  if (looked !== start) return fail(`The probe changed something: ${describeDifference(start, looked)}.`);
  if (before.kind !== "done") return fail(`The probe failed: ${describeAnswer(before)}`);
  if (before.value.kind !== "absent")
    return fail(`Before the attempt, the probe answered ${before.value.kind} instead of absent.`);
  const acted = await lead.send({ kind: "apply", ...call });
  const after = await (await context.pool.second()).send({ kind: "probe", ...call });
  if (acted.kind !== "done") return fail(`It failed: ${describeAnswer(acted)}`);
  if (after.kind !== "done") return fail(`After the attempt, the probe failed: ${describeAnswer(after)}`);
  if (after.value.kind !== "present")
    return fail(`After the attempt, the probe answered ${after.value.kind} instead of present.`);
  if (after.unfit) return fail(`The probe's output does not match its schema: ${after.unfit.join("; ")}.`);
  const differs = findDifferingField(acted.value, after.value.output);
  return differs === undefined
    ? pass("absent before, present after")
    : fail(`The probe and apply returned different values for \`${differs}\`.`);
}

/**
 * Returns the first field of the probe's output that differs from the output of `apply`. Ignores fields that the probe
 * omits.
 */
function findDifferingField(said: Json, found: Json): string | undefined {
  if (!isJsonObject(said) || !isJsonObject(found)) return sameJson(said, found) ? undefined : "(the whole)";
  return Object.keys(found).find((name) => !sameJson(said[name], found[name]));
}
