import type { Bench } from "../bench.ts";
import { difference } from "../difference.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/** Everything else compares pictures, so the trial's own tools come first. */
export const reset: Verification<Bench> = {
  name: "reset",
  claim: "the trial sees the effect, and takes it back",
  concerns: () => true,
  async verify(bench) {
    const before = await bench.begin();
    const again = await bench.picture();
    if (again !== before) {
      return fail(`Two pictures of the same outside differ: ${difference(before, again)}.`);
    }
    await bench.perform(await bench.troupe.lead(), bench.attempt());
    const after = await bench.picture();
    if (bench.contract.effect !== "read" && after === before) {
      return fail("The picture is the same before and after: it does not show the effect, or there is none.");
    }
    const back = await bench.begin();
    return back === before
      ? pass("the picture shows it, a reset brings back the start")
      : fail(`After a reset the outside is not as before: ${difference(before, back)}.`);
  },
};
