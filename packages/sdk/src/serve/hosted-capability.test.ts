import { defineCapability } from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { hostCapabilities, type ServedCapability } from "./hosted-capability.ts";

const terms = {
  name: "shop.order",
  version: 1,
  summary: "Order",
  effect: "write",
  idempotency: "none",
  input: z.object({ what: z.string(), cents: z.int() }),
  output: z.object({}),
} as const;
const apply = async () => ({});
const plain = defineCapability({ ...terms, apply });
const locking = defineCapability({ ...terms, locks: ({ what }) => [what], apply });
const costing = defineCapability({ ...terms, cost: ({ cents }) => cents, apply });

it.each<[string, ServedCapability]>([
  ["nothing to declare", plain],
  ["locks as data", { capability: locking, locks: ["{what}"] }],
  ["more locks than its code names", { capability: plain, locks: ["{what}"] }],
  ["a cost as data", { capability: costing, cost: "cents" }],
  ["a fixed cost", { capability: plain, cost: 100 }],
])("hostCapabilities accepts a capability with %s", (_, each) => {
  expect(hostCapabilities([each]).get("shop.order")?.digest).toMatch(/^[0-9a-f]{64}$/);
});

it.each<[string, readonly ServedCapability[], string]>([
  ["locks that only its code knows", [locking], "declare its locks as data"],
  [
    "code that throws without input",
    [defineCapability({ ...terms, locks: (i) => [i.what.trim()], apply })],
    "locks",
  ],
  ["a cost that only its code knows", [costing], "declare its cost as data"],
  ["no template", [{ capability: plain, locks: ["{what"] }], "`locks`"],
  ["no cost", [{ capability: plain, cost: -1 }], "`cost`"],
  ["a composite", [defineCapability({ ...terms, idempotency: "natural", compose: apply })], "a composite"],
  ["what agents perform", [defineCapability({ ...terms, performer: "agent" })], "the agent performs it"],
  ["a question to people", [defineCapability({ ...terms, apply, answer: () => z.string() })], "human.ask"],
  ["a pattern that Paraph does not run", [picky()], "`input`: The JSON Schema cannot be used"],
  ["one name twice", [plain, plain], "listed twice"],
])("[P11] hostCapabilities throws at the start: %s", (_, all, fault) => {
  expect(() => hostCapabilities(all)).toThrow(fault);
});

function picky() {
  return defineCapability({ ...terms, input: z.object({ what: z.string().regex(/^(?!gold)/) }), apply });
}

it("a different contract, different locks or a different cost changes the digest", () => {
  const digestOf = (each: ServedCapability) => hostCapabilities([each]).get("shop.order")?.digest;
  const all: ServedCapability[] = [
    ...[plain, defineCapability({ ...terms, summary: "Order at once", apply })],
    ...[
      { capability: plain, locks: ["a"] },
      { capability: plain, cost: 1 },
    ],
  ];
  expect(new Set(all.map(digestOf)).size).toBe(4);
});
