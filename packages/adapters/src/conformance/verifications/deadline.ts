import { setTimeout as pause } from "node:timers/promises";
import type { AdapterProcess } from "../adapter-process.ts";
import type { CaseContext } from "../case-context.ts";
import { type LivingProcess, ProcessTree } from "../process-tree.ts";
import { fail, pass, skip } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const deadlineVerification: Verification<CaseContext> = {
  name: "deadline",
  rule: "P15",
  claim: "the deadline stops the attempt and its child processes",
  after: ["reset"],
  appliesTo: () => true,
  async verify(context) {
    const { slow, input } = context.case;
    const { graceMs } = context;
    if (!slow) return skip("Add `slow` to the case. It must make apply exceed its deadline.");
    const { deadlineMs = 500 } = slow;
    await context.resetCase();
    const performer = await context.pool.main();
    const attempt = await context.withBasis(performer, context.createAttempt({ input: slow.input ?? input }));
    await slow.begin?.(context.fixture);
    const before = new Set(performer.processTree.listLiving().map(({ pid }) => pid));
    using _ = performer.processTree.watch();
    const answer = await performer.send({ kind: "apply", ...attempt, deadlineMs }, deadlineMs + graceMs);
    if (answer.kind === "silent") return fail(`It was still running ${graceMs} ms after its deadline.`);
    if (answer.kind === "died") return fail("Its process died.");
    // Node rounds times to milliseconds, so a timer may fire up to a millisecond early.
    if (answer.ms < deadlineMs - 1) {
      return skip(
        `Apply ended after ${Math.round(answer.ms)} ms, before its deadline of ${deadlineMs} ms. Make \`slow\` slower.`,
      );
    }
    const late = Math.max(0, Math.round(answer.ms - deadlineMs));
    if (!ProcessTree.isSupported)
      return pass(`it stopped ${late} ms after its deadline; child processes are not visible on this system`);
    const left = await listRemaining(performer, before, graceMs);
    if (left.length === 0) return pass(`it stopped ${late} ms after its deadline and left no process behind`);
    await performer.kill();
    return fail(
      `It stopped, but left processes behind: ${left.map(({ command }) => `\`${command}\``).join(", ")}.`,
    );
  },
};

async function listRemaining(
  performer: AdapterProcess,
  before: ReadonlySet<number>,
  graceMs: number,
): Promise<readonly LivingProcess[]> {
  const patience = performance.now() + graceMs;
  for (;;) {
    const left = performer.processTree.listLiving().filter(({ pid }) => !before.has(pid));
    if (left.length === 0 || performance.now() > patience) return left;
    await pause(20);
  }
}
