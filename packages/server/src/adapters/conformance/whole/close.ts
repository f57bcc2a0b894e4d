import { setTimeout as pause } from "node:timers/promises";
import type { Company } from "../company.ts";
import type { Performer } from "../performer.ts";
import { told } from "../told.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/** After every case was performed once by the same process. */
export const close: Verification<Company> = {
  name: "close",
  claim: "closed, it has let go of everything",
  concerns: () => true,
  async verify({ troupe, benches }) {
    const performer = await troupe.fresh();
    try {
      for (const bench of benches) {
        await bench.begin();
        await bench.perform(performer, bench.attempt());
      }
      const answer = await performer.ask({ kind: "close" }, 15_000);
      if (answer.kind !== "done") return fail(`It did not close: ${told(answer)}`);
      const { held } = answer.value;
      if (held.length > 0) return fail(`It still holds: ${[...new Set(held)].join(", ")}.`);
      const left = await leftBy(performer);
      return left.length === 0
        ? pass("nothing is held and nobody is left")
        : fail(`It left behind: ${left.map((command) => `\`${command}\``).join(", ")}.`);
    } finally {
      await performer.end();
    }
  },
};

async function leftBy({ family }: Performer): Promise<string[]> {
  const patience = performance.now() + 1_000;
  while (family.living().length > 0 && performance.now() < patience) await pause(20);
  return family.living().map(({ command }) => command);
}
