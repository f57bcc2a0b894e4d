import { expect, it } from "vitest";
import { createLimits } from "./limits.ts";

const agent = { tenant: "acme", id: "helper", kind: "agent" } as const;
const contract = { name: "billing.refund" } as Parameters<ReturnType<typeof createLimits>>[1];

it("counts a limit per tenant, per principal, per capability, or per principal and capability", () => {
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

it("applies a limit only to matching calls, and charges a money limit the cost of the call", () => {
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
