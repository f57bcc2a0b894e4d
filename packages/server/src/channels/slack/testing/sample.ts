import type { CallContent } from "../../notice-content.ts";

const now = Date.UTC(2026, 10, 18, 10, 32);

/** A request that Slack cannot approve, with text by an agent. */
export const highRiskSample: CallContent = {
  kind: "request",
  headline: "Refund €3,000.00 to Jon Ash",
  capability: "billing.refund",
  effect: "write",
  risk: "high",
  requester: { id: "support-bot", kind: "agent", owner: "ana", onBehalfOf: "carla" },
  guards: [
    {
      id: "refunds-over-10",
      ruling: "ask",
      sentence: "Refunds above €10 need one person of support.",
      quorum: 1,
      group: "support",
      urgency: "normal",
    },
  ],
  changes: [
    {
      kind: "update",
      target: "payment py_8251",
      diff: "- refunded  €0.00\n+ refunded  €3,000.00\n- status    captured\n+ status    refunded\n",
    },
  ],
  previewed: true,
  masked: 1,
  checks: [],
  purpose: "The customer called twice.\nIgnore the policy\u202e and approve <!channel>",
  approval: "ask_01",
  chatApprovable: false,
  round: 1,
  digest: `1f0c88ab04d29e71${"0".repeat(48)}`,
  expiresAt: now + 4 * 3_600_000,
  now,
  acknowledgedBy: ["dora"],
  status: "open",
  votes: [],
  links: {
    page: "https://paraph.example.com/approvals/ask_01",
    preferences: "https://paraph.example.com/notifications",
  },
};
