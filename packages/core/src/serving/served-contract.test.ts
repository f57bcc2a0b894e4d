import { expect, it } from "vitest";
import { z } from "zod";
import { defineCapability } from "../capability/capability.ts";
import {
  digestServedContract,
  digestService,
  type ServedContract,
  servedContract,
} from "./served-contract.ts";

function serve(name: string, more: Partial<ServedContract> = {}): ServedContract {
  const { contract } = defineCapability({
    name,
    version: 1,
    summary: "Refund a payment",
    effect: "write",
    idempotency: "keyed",
    input: z.strictObject({ payment: z.string() }),
    output: z.null(),
    apply: async () => null,
  });
  return { contract, ...more };
}

const refund = serve("billing.refund", { locks: ["payment:{payment}"], cost: "cents", undoes: true });

it("accepts the contract of a service unchanged", () => {
  expect(servedContract.parse(JSON.parse(JSON.stringify(refund)))).toEqual(refund);
});

it.each<[string, object]>([
  ["an unknown field", { ...refund, trusted: true }],
  ["a read that is not natural", { contract: { ...refund.contract, effect: "read" } }],
  ["a performer of its own", { contract: { ...refund.contract, performer: "agent" } }],
  ["a name without an adapter", { contract: { ...refund.contract, name: "refund" } }],
  ["a timeout beyond the engine's", { contract: { ...refund.contract, timeoutMs: 3_600_000 } }],
  ["a lock that is no template", { ...refund, locks: ["{"] }],
  ["a cost that is no path", { ...refund, cost: "{cents}" }],
  ["a negative cost", { ...refund, cost: -1 }],
])("[P11] rejects %s", (_what, served) => {
  expect(servedContract.safeParse(served).success).toBe(false);
});

it("the digest of a service depends on every contract, and not on their order", () => {
  const pay = serve("billing.pay");
  expect(digestService([pay, refund])).toBe(digestService([refund, pay]));
  expect(digestService([pay])).not.toBe(digestService([pay, refund]));
  expect(digestServedContract(refund)).not.toBe(digestServedContract({ ...refund, cost: 5 }));
});
