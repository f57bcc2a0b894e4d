import { describe, expect, it } from "vitest";
import { proveLaws } from "../../../../test/support/storm-property.ts";

describe("plans without crashes and lost messages", () => {
  it("[P13] complete by messages alone, even if these are slow, duplicated and out of order", {
    timeout: 600_000,
  }, async () => {
    const seen = await proveLaws(
      {
        calm: true,
        lively: true,
        plans: true,
        capabilities: /asked$|allowed/,
        lockKeys: ["a", "b"],
        targets: ["t1", "t2", "t3"],
      },
      { runs: 300 },
    );
    expect(seen.get("plan succeeded done")).toBeGreaterThan(40);
    expect(seen.get("plan failed not-deterministic")).toBe(undefined);
  });
});
