import type { CaseContext } from "../case-context.ts";
import { describeDifference } from "../describe-difference.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/**
 * Verifies that the snapshot shows the effect and that `reset` restores the initial state. This verification runs
 * first, because all other verifications compare snapshots.
 */
export const resetVerification: Verification<CaseContext> = {
  name: "reset",
  claim: "the test sees the effect and can reset it",
  appliesTo: () => true,
  async verify(context) {
    const before = await context.resetCase();
    const again = await context.takeSnapshot();
    if (again !== before) {
      return fail(`Two snapshots of the same state differ: ${describeDifference(before, again)}.`);
    }
    await context.perform(await context.pool.main(), context.createAttempt());
    const after = await context.takeSnapshot();
    if (context.contract.effect !== "read" && after === before) {
      return fail(
        "The snapshot is the same before and after the call. Either the call had no effect, or the snapshot does not show it.",
      );
    }
    const back = await context.resetCase();
    return back === before
      ? pass("the snapshot shows the effect, and `reset` restores the start")
      : fail(
          `After \`reset\`, the external system is not as it was before: ${describeDifference(before, back)}.`,
        );
  },
};
