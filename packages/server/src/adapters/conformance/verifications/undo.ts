import type { Bench } from "../bench.ts";
import { difference } from "../difference.ts";
import { told } from "../told.ts";
import { fail, notAsked, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const undo: Verification<Bench> = {
  name: "undo",
  rule: "P13",
  claim: "undone, the outside is as it was",
  after: ["reset", "apply", "preview"],
  concerns: ({ offer }) => offer.undoes,
  async verify(bench) {
    const before = await bench.begin();
    const lead = await bench.troupe.lead();
    const acted = await bench.perform(lead, bench.attempt());
    if (acted.kind !== "done") return fail(`It failed: ${told(acted)}`);
    const { capability, input } = bench.case;
    const way = await lead.ask({ kind: "undo", capability, input, output: acted.value });
    if (way.kind !== "done") return fail(`It could not say the way back: ${told(way)}`);
    if (way.value === null) return notAsked("It offers no way back here: give a case that can be undone.");
    const back = way.value;
    if (!bench.offered.some(({ contract }) => contract.name === back.capability)) {
      return fail(`The way back is \`${back.capability}\`, which the adapter does not offer.`);
    }
    const undone = await bench.perform(lead, bench.attempt(back));
    if (undone.kind !== "done") return fail(`\`${back.capability}\`, the way back, failed: ${told(undone)}`);
    const after = await bench.picture();
    return after === before
      ? pass(`\`${back.capability}\` brought it back`)
      : fail(`It is not as it was: ${difference(before, after)}.`);
  },
};
