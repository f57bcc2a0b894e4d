// A team's own process serves its capabilities. Paraph rules on each call, asks people, and asks this service to
// perform it.
//
//   BILLING_KEY=… PARAPH_PUBLIC_KEY=… node --conditions=paraph-source examples/serve/main.ts
import { CapabilityError, defineCapability } from "@paraph/sdk/serve";
import { serve } from "@paraph/sdk/serve/node";
import { z } from "zod";

/** Stand-ins for the team's own database: the payments by id, and the refunds by idempotency key. */
const payments = new Map([["pay_8Zk2", { cents: 1250, status: "captured" }]]);
const refunds = new Map<string, string>();

const refund = defineCapability({
  name: "billing.refund",
  version: 1,
  summary: "Refund a payment",
  effect: "write",
  risk: "high",
  idempotency: "keyed",
  input: z.object({ payment: z.string(), cents: z.int().positive() }),
  output: z.object({ refund: z.string() }),
  preview: async ({ payment, cents }) => {
    const found = payments.get(payment);
    if (!found) throw new CapabilityError("permanent", "payment-unknown", "There is no such payment.");
    const summary = `Refund ${cents} of ${found.cents} cents`;
    return { changes: [{ kind: "update", target: payment, summary }], basis: found };
  },
  apply: async ({ payment }, { key, progress }) => {
    progress({ message: "asking the bank", fraction: 0.5 });
    // A request with the same key returns the same refund.
    if (!refunds.has(key)) refunds.set(key, `refund-${refunds.size + 1}-of-${payment}`);
    return { refund: refunds.get(key)! };
  },
});

const { BILLING_KEY = "", PARAPH_PUBLIC_KEY = "", PORT = "7400" } = process.env;
const { url, publicKey } = await serve({
  capabilities: [{ capability: refund, locks: ["payment:{payment}"], cost: "cents" }],
  key: BILLING_KEY,
  callers: [PARAPH_PUBLIC_KEY],
  port: Number(PORT),
});
process.stdout.write(`${JSON.stringify({ url, publicKey })}\n`);
