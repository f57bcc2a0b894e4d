import { expect, it } from "vitest";
import { z } from "zod";
import { defineCapability } from "./capability.ts";
import { createUnavailableCapability } from "./unavailable-capability.ts";

const reason = { code: "adapter-unavailable", message: "The adapter `billing` is not available." };
const { contract, contractDigest } = defineCapability({
  name: "billing.refund",
  version: 1,
  summary: "Refund a payment",
  effect: "write",
  idempotency: "probe",
  input: z.null(),
  output: z.null(),
  preview: async () => ({ changes: [], basis: null }),
  apply: async () => null,
  probe: async () => ({ kind: "absent" }),
});

it("keeps its contract, so that policies and waiting calls that name it stay valid", () => {
  const capability = createUnavailableCapability(contract, reason);
  expect(capability).toMatchObject({ contract, contractDigest, unavailable: reason });
  expect(capability.locks(null)).toEqual([]);
});

it("accepts no input and performs nothing, and says why", async () => {
  const capability = createUnavailableCapability(contract, reason);
  const invalid = { kind: "invalid", faults: [reason.message] };
  expect([capability.parseInput(null), capability.parseOutput(null)]).toEqual([invalid, invalid]);
  for (const use of [capability.apply, capability.preview, capability.probe])
    await expect(use?.(null, {} as never)).rejects.toMatchObject({
      kind: "not-performed",
      code: reason.code,
    });
});

it("offers neither a preview nor a probe if its contract has none", () => {
  const plain = { ...contract, previews: false, idempotency: "none" } as const;
  const capability = createUnavailableCapability(plain, reason);
  expect([capability.preview, capability.probe]).toEqual([undefined, undefined]);
});
