import type { CaseContext } from "../case-context.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/** Comes first, because all other verifications compare snapshots. */
export const resetVerification: Verification<CaseContext> = {
  name: "reset",
  claim: "the trial sees the effect, and takes it back",
  appliesTo: () => true,
  async verify(bench) {
    const before = await bench.resetCase();
    const again = await bench.takeSnapshot();
    if (again !== before) {
      return fail(`Two pictures of the same outside differ: ${describeDifference(before, again)}.`);
    }
    await bench.perform(await bench.pool.main(), bench.createAttempt());
    const after = await bench.takeSnapshot();
    if (bench.contract.effect !== "read" && after === before) {
      return fail("The picture is the same before and after: it does not show the effect, or there is none.");
    }
    const back = await bench.resetCase();
    return back === before
      ? pass("the picture shows it, a reset brings back the start")
      : fail(`After a reset the outside is not as before: ${describeDifference(before, back)}.`);
  },
};
