// The capabilities of a shop's agent. A refund has a high risk, so Paraph performs it only after a person approves. The
// agent's own process sends letters to customers.
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
  apply: async ({ payment }, context) => {
    // Pass `context.key` to a real payment provider, so that a repeated request makes only one refund.
    if (!refunds.includes(context.key)) refunds.push(context.key);
    return { refund: `refund-of-${payment}` };
  },
});

const write = defineCapability({
  name: "desk.write",
  version: 1,
  summary: "Write to a customer",
  performer: "agent",
  effect: "write",
  idempotency: "none",
  input: z.object({ customer: z.string(), text: z.string() }),
  output: z.object({ letter: z.string() }),
});

export default defineConfig({
  policy: "balanced",
  capabilities: [refund, write],
  unattended: ["desk.write"],
});
