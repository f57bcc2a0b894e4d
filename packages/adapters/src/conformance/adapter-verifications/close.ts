import { setTimeout as pause } from "node:timers/promises";
import type { AdapterProcess } from "../adapter-process.ts";
import { describeAnswer } from "../describe-answer.ts";
import type { SuiteContext } from "../suite-context.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

/**
 * Verifies that closing the adapter releases everything. It closes the adapter in a process that has performed every
 * case once.
 */
export const closeVerification: Verification<SuiteContext> = {
  name: "close",
  claim: "closing the adapter releases everything",
  appliesTo: () => true,
  async verify({ pool, cases }) {
    const performer = await pool.startFresh();
    try {
      for (const bench of cases) {
        await bench.resetCase();
        await bench.perform(performer, bench.createAttempt());
      }
      const answer = await performer.send({ kind: "close" });
      if (answer.kind !== "done") return fail(`It did not close: ${describeAnswer(answer)}`);
      const { heldResources } = answer.value;
      if (heldResources.length > 0) return fail(`It still holds: ${[...new Set(heldResources)].join(", ")}.`);
      const left = await listRemaining(performer);
      return left.length === 0
        ? pass("no resource and no process remains")
        : fail(`It left processes behind: ${left.map((command) => `\`${command}\``).join(", ")}.`);
    } finally {
      await performer.kill();
    }
  },
};

async function listRemaining({ processTree }: AdapterProcess): Promise<string[]> {
  const patience = performance.now() + 20_000;
  while (processTree.listLiving().length > 0 && performance.now() < patience) await pause(20);
  return processTree.listLiving().map(({ command }) => command);
}
