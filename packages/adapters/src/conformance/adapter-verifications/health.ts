import { describeAnswer } from "../describe-answer.ts";
import type { SuiteContext } from "../suite-context.ts";
import { fail, pass } from "../verdict.ts";
import type { Verification } from "../verification.ts";

export const healthVerification: Verification<SuiteContext> = {
  name: "health",
  claim: "it reports its health, and the health check changes nothing",
  appliesTo: () => true,
  async verify({ test, fixture, pool }) {
    await test.reset(fixture);
    const before = await test.snapshot(fixture);
    const answer = await (await pool.main()).send({ kind: "health" });
    if (answer.kind !== "done") return fail(`The health check failed: ${describeAnswer(answer)}`);
    if ((await test.snapshot(fixture)) !== before)
      return fail("The health check changed the external system. A health check must only read.");
    const { value } = answer;
    return value.kind === "well"
      ? pass("it is healthy")
      : fail(`It is degraded (\`${value.code}\`): ${value.message}`);
  },
};
