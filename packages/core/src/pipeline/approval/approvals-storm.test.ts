import { describe, it } from "vitest";
import { proveLaws } from "../../../../../test/support/storm-property.ts";

/** Tests rounds, edits, quorums, expiries, freezes, withdrawals, deployments and crashes, in any order. */
describe("while people decide", () => {
  it("[P4] [P5] [P6] [P7] [TRUST 13] [TRUST 14] [TRUST 25] hold for any order of actions and crashes", {
    timeout: 600_000,
  }, async () => {
    await proveLaws(
      {
        calm: false,
        lively: true,
        capabilities: /asked|none|probe/,
        lockKeys: ["a"],
        targets: ["t1", "t2"],
      },
      {
        runs: 300,
        rare: [399, 812],
        reach: [
          "superseded edited",
          "superseded contract-changed",
          "cancelled withdrawn",
          "denied returned",
          "edited in round 1",
          "edited in round 2",
          "edited after a vote",
          "successor of a successor",
          "successor (edited) succeeded",
          "successor (edited) denied",
          "successor (edited) cancelled",
          "successor (edited) expired",
          "successor (edited) unknown",
          "successor (contract-changed) succeeded",
          "quorum, then succeeded",
          "quorum, then unknown",
          "expired while frozen",
          "denied while frozen",
          "parked, then succeeded",
          "parked, then expired",
          "parked, then cancelled",
          "successor parked",
          "round void edited",
          "round void withdrawn",
          "round void contract-changed",
          "reminded",
          "escalated",
          "resolved happened by person",
          "resolved not-happened by person",
          "resolved happened by probe",
          "resolved not-happened by probe",
          "crash before supersede",
          "crash after supersede",
          "crash before resolve",
          "crash after resolve",
          "crash before commit",
          "crash after commit",
          "unknown contract-changed",
        ],
      },
    );
  });
});
