const digest = "1f0c88ab04d29e71c5b1a7d2f3e4968770a1b2c3d4e5f60718293a4b5c6d7e8f";
const guard = {
  id: "high-risk-needs-a-person",
  sentence: "Refunds above 10 € need a person.",
  quorum: 1,
};
const requestExample = {
  headline: "Refund €12.50 to Jon Ash",
  capability: "billing.refund",
  principal: { id: "support-bot", kind: "agent" as const, owner: "ana" },
  previewed: true,
  preview: {
    changes: [{ kind: "update" as const, target: "payment", summary: "Refund 12.50 €" }],
    basis: { status: "captured" },
  },
  purpose: { text: "The customer returned the lamp.", checked: false as const },
};

/** A call that waits for an approver, as its requester reads it. */
export const openCallExample = {
  call: "call_01k2m4x7p9",
  version: 1,
  contractDigest: digest,
  state: "asking" as const,
  ...requestExample,
  key: "refund-lamp-81",
  session: { session: "chat-81" },
  createdAt: "2026-03-01T09:30:00.000Z",
  waiting: {
    for: "approval" as const,
    until: "2026-03-01T13:30:00.000Z",
    approval: {
      id: "ask_01k2m4x7q3",
      expiresAt: "2026-03-01T13:30:00.000Z",
      digest,
      fingerprint: "1f0c88ab04d29e71",
      guards: [guard],
    },
    how: "A person must decide. The call then continues without you. `GET /v1/calls/call_01k2m4x7p9` with `Prefer: wait=60` responds when the call is closed or ready for you to perform.",
  },
  input: { payment: "pay_8Zk2", cents: 1250 },
  approval: { id: "ask_01k2m4x7q3", round: 1, status: "open" },
  attempts: [],
  masked: [],
  links: { self: "/v1/calls/call_01k2m4x7p9", events: "/v1/calls/call_01k2m4x7p9/events" },
};

/** The call of `openCallExample`, as an approver reads it. */
export const openRoundExample = {
  kind: "round" as const,
  approval: "ask_01k2m4x7q3",
  call: "call_01k2m4x7p9",
  round: 1,
  status: "open" as const,
  newest: "ask_01k2m4x7q3",
  digest,
  fingerprint: "1f0c88ab04d29e71",
  expiresAt: "2026-03-01T13:30:00.000Z",
  contract: { version: 1, summary: "Refund a payment", effect: "write" as const, risk: "high" as const },
  ...requestExample,
  input: { payment: "•••", cents: 1250 },
  guards: [guard],
  votes: [],
  checks: [],
  notUndone: [],
  masked: ["payment"],
  links: {
    self: "/v1/approvals/ask_01k2m4x7q3",
    call: "/v1/calls/call_01k2m4x7p9",
    newest: "/v1/approvals/ask_01k2m4x7q3",
    decision: "/v1/approvals/ask_01k2m4x7q3/decision",
    edit: "/v1/approvals/ask_01k2m4x7q3/edit",
    messages: "/v1/calls/call_01k2m4x7p9/messages",
  },
};
