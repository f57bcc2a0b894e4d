import { setTimeout as pause } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { Family, type Relative } from "../family.ts";
import type { Performer } from "../performer.ts";
import { fail, notAsked, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const deadline: Verification<Bench> = {
  name: "deadline",
  rule: "P15",
  claim: "the deadline stops it, and its children",
  after: ["reset"],
  concerns: () => true,
  async verify(bench) {
    const { slow, input } = bench.case;
    if (!slow) return notAsked("Give the case `slow`: how apply is made to outlast its deadline.");
    const { deadlineMs = 500, graceMs = 2_000 } = slow;
    await bench.begin();
    const performer = await bench.troupe.lead();
    const attempt = await bench.based(performer, bench.attempt({ input: slow.input ?? input }));
    await slow.begin?.(bench.ground);
    const before = new Set(performer.family.living().map(({ pid }) => pid));
    using _ = performer.family.watch();
    const answer = await performer.ask({ kind: "apply", ...attempt, deadlineMs }, deadlineMs + graceMs);
    if (answer.kind === "silent") return fail(`It was still at it ${graceMs} ms after its deadline.`);
    if (answer.kind === "died") return fail("Its process died.");
    if (answer.ms < deadlineMs) {
      return notAsked(`It ended after ${Math.round(answer.ms)} of ${deadlineMs} ms: make \`slow\` slower.`);
    }
    const late = Math.round(answer.ms - deadlineMs);
    if (!Family.visible)
      return pass(`it stopped ${late} ms after its deadline; children cannot be seen here`);
    const left = await outlasting(performer, before, graceMs);
    if (left.length === 0) return pass(`it stopped ${late} ms after its deadline and left nobody behind`);
    await performer.end();
    return fail(`It stopped, and left behind: ${left.map(({ command }) => `\`${command}\``).join(", ")}.`);
  },
};

async function outlasting(
  performer: Performer,
  before: ReadonlySet<number>,
  graceMs: number,
): Promise<readonly Relative[]> {
  const patience = performance.now() + graceMs;
  for (;;) {
    const left = performer.family.living().filter(({ pid }) => !before.has(pid));
    if (left.length === 0 || performance.now() > patience) return left;
    await pause(20);
  }
}
