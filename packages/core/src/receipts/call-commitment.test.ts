import { expect, it } from "vitest";
import { callCommitment } from "./call-commitment.ts";

it("[TRUST 32] the commitment of an accepted call stays the same, so that calls from before an upgrade keep their seals", () => {
  const facts = {
    key: "k",
    contractDigest: "contract",
    requestDigest: "request",
    session: { session: "s" },
    trace: undefined,
    lockKeys: ["file:a"],
    requirements: [],
  };
  expect(callCommitment("salt", facts)).toBe(
    "ed64ceac6df84e6836e482f44458d72140090087b3ccfd33c4582af01d5bcb1a",
  );
});
