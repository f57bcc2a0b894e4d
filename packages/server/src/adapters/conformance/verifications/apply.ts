import type { Bench } from "../bench.ts";
import { difference } from "../difference.ts";
import { told } from "../told.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const apply: Verification<Bench> = {
  name: "apply",
  claim: "it does what it is there for, and its output fits its schema",
  after: ["reset"],
  concerns: () => true,
  async verify(bench) {
    const before = await bench.begin();
    const answer = await bench.perform(await bench.troupe.lead(), bench.attempt());
    if (answer.kind !== "done") return fail(`It failed: ${told(answer)}`);
    if (answer.unfit) return fail(`The output does not fit its schema: ${answer.unfit.join("; ")}.`);
    const after = await bench.picture();
    if (bench.contract.effect === "read" && after !== before) {
      return fail(`It is a read, and changed something: ${difference(before, after)}.`);
    }
    return pass(bench.contract.effect === "read" ? "it read, and changed nothing" : "it took effect");
  },
};
