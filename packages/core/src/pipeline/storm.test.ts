import { describe, it } from "vitest";
import { type LoadProfile, proveLaws } from "../../../../test/support/storm-property.ts";

const everything: LoadProfile = {
  calm: false,
  capabilities: /./,
  lockKeys: ["a", "b", "c"],
  targets: ["t1", "t2"],
};

/** Processes die at any use of the store and around any effect. Messages are lost, duplicated, early and late. */
describe("under process crashes and message faults at any point", () => {
  it("[P1] [P2] [P4] [P5] [P7] [P8] [P9] [P14] hold for every kind of contract", {
    timeout: 600_000,
  }, async () => {
    await proveLaws(everything, {
      runs: 400,
      rare: [594, 608, 1_064],
      reach: [
        "succeeded done",
        "succeeded output-invalid",
        "failed error",
        "denied denied",
        "refused forbidden",
        "refused preview-failed",
        "expired no-answer",
        "expired basis-changed",
        "unknown no-key-no-probe",
        "unknown probe-unsure",
        "unknown probe-failed",
        "unknown key-expired",
        "unknown basis-changed",
        "queued",
        "attempt lost",
        "attempt ambiguous",
        "attempt not-performed",
        "attempt permanent",
        "delayed",
      ],
    });
  });
});
