// A shop's one capability. It is of high risk, so the preset `balanced` asks a person.
import { defineCapability } from "@paraph/core";
import { defineConfig } from "@paraph/server";
import { z } from "zod";

export const refunds: string[] = [];

const refund = defineCapability({
  name: "billing.refund",
  version: 1,
  summary: "Refund a payment",
  effect: "write",
  risk: "high",
  idempotency: "keyed",
  input: z.object({ payment: z.string(), cents: z.int().positive() }),
  output: z.object({ refund: z.string() }),
  preview: async ({ payment, cents }) => ({
    changes: [{ kind: "update", target: `payment:${payment}`, summary: `Refund ${cents} cents` }],
    basis: { status: "captured" },
  }),
  apply: async ({ payment }, world) => {
    // A payment provider would be asked with `world.key`, so that asking twice refunds once.
    if (!refunds.includes(world.key)) refunds.push(world.key);
    return { refund: `refund-of-${payment}` };
  },
});

export default defineConfig({ policy: "balanced", capabilities: [refund] });
