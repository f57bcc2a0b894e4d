import { describe, expect, it } from "vitest";
import { provesIn } from "../../../../test/storms.ts";

/** Plans, partial approvals, failures of every mode, undos, edits, freezes, deploys and deaths, in any order. */
describe("plans", () => {
  it("[P13] [P2] [P4] [P5] hold, whatever fails and whatever dies", { timeout: 600_000 }, async () => {
    const seen = await provesIn(
      {
        ...{ calm: false, lively: true, plans: true, capabilities: /asked$|allowed/ },
        ...{ lockKeys: ["a", "b"], targets: ["t1", "t2", "t3"] },
      },
      1_000,
    );
    console.log([...seen].sort());
    expect(seen.size).toBeGreaterThan(0);
  });
});
