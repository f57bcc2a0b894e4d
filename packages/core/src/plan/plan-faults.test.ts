import { describe, expect, it } from "vitest";
import { proveLaws } from "../../../../test/support/storm-property.ts";

/** Plans, partial approvals, failures of every mode, undos, edits, freezes, deployments and crashes, in any order. */
describe("plans", () => {
  it("[P13] [P2] [P4] [P5] keep their guarantees under random failures and crashes", {
    timeout: 600_000,
  }, async () => {
    const seen = await proveLaws(
      {
        calm: false,
        lively: true,
        plans: true,
        capabilities: /asked$|allowed/,
        lockKeys: ["a", "b"],
        targets: ["t1", "t2", "t3"],
      },
      {
        runs: 400,
        rare: [692, 1_492, 2_020, 2_280],
        reach: [
          "plan succeeded done",
          "plan failed step-failed",
          "plan failed compensated",
          "plan failed compensated-in-part",
          "plan failed no-way-back",
          "plan unknown step-unknown",
          "plan denied denied",
          "plan denied returned",
          "plan expired no-answer",
          "plan expired basis-changed",
          "plan cancelled withdrawn",
          "plan superseded edited",
          "plan refused preview-failed",
          "covered step succeeded",
          "covered step failed",
          "covered step unknown",
          "covered step asked again",
          "step asked by itself succeeded",
          "step asked by itself expired",
          "step edited or readmitted",
          "partly approved, then succeeded",
          "partly approved, then failed",
          "step of an undo succeeded",
          "crash before open",
          "crash after open",
          "crash before children",
          "crash after children",
        ],
      },
    );
    expect(seen.get("plan failed not-deterministic")).toBe(undefined);
  });
});
