import { expect, it } from "vitest";
import { createLimits } from "./limits.ts";

const agent = { tenant: "acme", id: "helper", kind: "agent" } as const;
const contract = { name: "billing.refund" } as Parameters<ReturnType<typeof createLimits>>[1];

it("names what shares a count: the tenant, the principal, the capability, or one's use of the other", () => {
  const keys = (["tenant", "principal", "capability", "use"] as const).map(
    (per) => createLimits([{ per, calls: 5, name: "n" }])(agent, contract, 0)[0]?.key,
  );
  expect(keys).toEqual([
    "calls:n:",
    "calls:n:helper",
    "calls:n:billing.refund",
    "calls:n:billing.refund/helper",
  ]);
});

it("holds only the calls it speaks of, and takes of money what the call costs", () => {
  const limits = createLimits([
    { per: "tenant", capability: "billing.*", money: 10_000, window: "1d" },
    { per: "principal", principal: "other", calls: 1 },
    { per: "principal", concurrency: 2 },
  ]);
  expect(limits(agent, contract, 250)).toMatchObject([
    { kind: "money", max: 10_000, amount: 250, windowMs: 86_400_000 },
    { kind: "concurrency", max: 2, amount: 1, windowMs: 0 },
  ]);
  expect(limits(agent, contract, 0)).toHaveLength(1);
});
