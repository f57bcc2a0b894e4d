import { describe, expect, it } from "vitest";
import { type LoadProfile, proveLaws } from "../../../../test/support/storm-property.ts";

const everything: LoadProfile = {
  calm: false,
  capabilities: /./,
  lockKeys: ["a", "b", "c"],
  targets: ["t1", "t2"],
};

describe("in fair weather", () => {
  it("[P2] the engine's messages alone finish every call: no wake-up is left to the sweeper", {
    timeout: 600_000,
  }, async () => {
    await proveLaws({ ...everything, calm: true }, 500);
  });
});

describe("where everything is about one thing", () => {
  it("[locks] [P2] calls that all need one of two keys take turns, whatever dies", {
    timeout: 600_000,
  }, async () => {
    await proveLaws({ ...everything, capabilities: /allowed/, lockKeys: ["a", "b"], targets: ["t1"] }, 600);
  });

  it("[P5] calls that all rest on one basis act on nothing that was not approved, whatever dies", {
    timeout: 600_000,
  }, async () => {
    const seen = await proveLaws(
      { ...everything, capabilities: /asked/, lockKeys: [], targets: ["t1"] },
      600,
    );
    expect(seen.get("round void basis-changed")).toBeGreaterThan(20);
    expect(seen.get("round void not-applied-in-time")).toBeGreaterThan(0);
  });
});
