import { describe, expect, it } from "vitest";
import { type LoadProfile, proveLaws } from "../../../../test/support/storm-property.ts";

const everything: LoadProfile = {
  calm: false,
  capabilities: /./,
  lockKeys: ["a", "b", "c"],
  targets: ["t1", "t2"],
};

describe("without crashes and lost messages", () => {
  it("[P2] the engine's messages finish every call without the sweeper", {
    timeout: 600_000,
  }, async () => {
    await proveLaws({ ...everything, calm: true }, { runs: 150 });
  });
});

describe("under contention", () => {
  it("[locks] [P2] calls that compete for two lock keys take turns, whichever process dies", {
    timeout: 600_000,
  }, async () => {
    await proveLaws(
      { ...everything, capabilities: /allowed/, lockKeys: ["a", "b"], targets: ["t1"] },
      { runs: 150 },
    );
  });

  it("[P5] calls that share one basis perform only approved changes, whichever process dies", {
    timeout: 600_000,
  }, async () => {
    const seen = await proveLaws(
      { ...everything, capabilities: /asked/, lockKeys: [], targets: ["t1"] },
      { runs: 200 },
    );
    expect(seen.get("round void basis-changed")).toBeGreaterThan(20);
    expect(seen.get("round void not-applied-in-time")).toBeGreaterThan(0);
  });
});
