import type { Company } from "../company.ts";
import { told } from "../told.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const health: Verification<Company> = {
  name: "health",
  claim: "it says how it is, and looking changes nothing",
  concerns: () => true,
  async verify({ trial, ground, troupe }) {
    await trial.reset(ground);
    const before = await trial.picture(ground);
    const answer = await (await troupe.lead()).ask({ kind: "health" }, 10_000);
    if (answer.kind !== "done") return fail(`It does not say: ${told(answer)}`);
    if ((await trial.picture(ground)) !== before) return fail("Looking changed something.");
    const { value } = answer;
    return value.kind === "well"
      ? pass("it is well")
      : fail(`It is degraded (\`${value.code}\`): ${value.message}`);
  },
};
