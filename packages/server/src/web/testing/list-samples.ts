import type { ApprovalPage, ReceiptPage } from "../page-data/approval-types.ts";
import type {
  BundlePage,
  BundleResultPage,
  DecidedPage,
  InboxPage,
  UnknownsPage,
} from "../page-data/list-types.ts";
import { begunPlanSample, planSample } from "./plan-samples.ts";
import { fileChangeSample, minutes, now, openedRefundSample, querySample, refundSample } from "./samples.ts";

export const inboxSample: InboxPage = {
  now,
  reader: "bo",
  items: [
    createInboxItem(querySample, 11, { votes: 1 }),
    createInboxItem(planSample, 120, { steps: 7 }),
    createInboxItem(refundSample, 238, {}),
    createInboxItem(fileChangeSample, 1420, { votes: 1 }),
    createInboxItem(refundSample, 1425, { flood: { count: 9, others: 1 } }),
    createInboxItem(fileChangeSample, 1430, { notYours: "own-call" }),
    createInboxItem(querySample, 1460, { notYours: "not-in-group" }),
  ],
};

function createInboxItem(
  page: ApprovalPage,
  left: number,
  more: Partial<InboxPage["items"][number]>,
): InboxPage["items"][number] {
  const { approval, headline, capability, contract, asker, guards } = page;
  return {
    approval,
    headline,
    capability,
    asker,
    guards,
    votes: 0,
    ...(contract && { contract }),
    expiresAt: now + left * minutes,
    ...more,
  };
}

export const unknownsSample: UnknownsPage = {
  reader: "bo",
  now,
  items: [
    {
      call: "call_1",
      headline: "Send a mail to ana@example.org",
      capability: "mail.send",
      asker: "support-bot",
      closedAt: now - 30 * minutes,
      input: { to: "ana@example.org" },
      proof: "proof",
      canProbe: true,
      canRetry: true,
    },
    {
      call: "call_2",
      headline: begunPlanSample.headline,
      capability: "plan.apply",
      asker: "support-bot",
      closedAt: now - 30 * minutes,
      plan: begunPlanSample.plan!,
      proof: "proof",
      canProbe: false,
      canRetry: false,
    },
  ],
};

const decided = { capability: "billing.refund", asker: "support-bot", as: "approver" } as const;

export const decidedSample: DecidedPage = {
  reader: "bo",
  now,
  items: [
    {
      ...decided,
      call: "call_1",
      headline: refundSample.headline,
      risk: "high",
      decision: "approve",
      at: now - 5 * minutes,
      state: "closed",
      outcome: { kind: "succeeded", code: "done" },
    },
    {
      ...decided,
      call: "call_2",
      headline: querySample.headline,
      risk: "critical",
      decision: "approve",
      at: now - 50 * minutes,
      state: "asking",
      reason: "Checked with <b>dora</b>.",
    },
    {
      ...decided,
      call: "call_3",
      headline: fileChangeSample.headline,
      decision: "deny",
      at: now - 3_000 * minutes,
      state: "closed",
      outcome: { kind: "denied", code: "denied" },
      reason: "Not before Monday.",
    },
  ],
  next: "1772357531000.4.call_3",
};

export const receiptSample: ReceiptPage = {
  reader: "bo",
  call: "call_01k2m4x7p9",
  headline: refundSample.headline,
  receipt: {
    keyId: refundSample.digest,
    disclosed: [],
    passkeys: ["bo"],
    story: {
      tenant: "acme",
      call: "call_01k2m4x7p9",
      capability: "billing.refund",
      version: 1,
      contractDigest: refundSample.digest,
      principal: refundSample.asker,
      editors: ["dora"],
      outcome: { kind: "succeeded", code: "done" },
      attempts: 1,
      durationMs: 1_200,
      commitments: {},
      events: [
        { seq: 1, kind: "accepted", at: now - 9 * minutes, data: {} },
        { seq: 2, kind: "asked", at: now - 9 * minutes, data: { round: 1 } },
        {
          seq: 3,
          kind: "voted",
          at: now - 2 * minutes,
          data: { by: "bo", decision: "approve", as: "approver" },
        },
        { seq: 4, kind: "closed", at: now, data: { outcome: "succeeded", code: "done" } },
      ],
    },
  },
};

export const bundleResultSample: BundleResultPage = {
  reader: "bo",
  results: [
    { approval: "ask_1", headline: refundSample.headline, decision: "approve", state: "ready" },
    { approval: "ask_2", headline: querySample.headline, decision: "approve", state: "asking" },
    { approval: "ask_3", headline: fileChangeSample.headline, decision: "deny", state: "closed" },
    {
      approval: "ask_4",
      headline: fileChangeSample.headline,
      decision: "approve",
      problem: "This approval is closed (denied). Nothing was changed.",
    },
  ],
};

export const bundleSample: BundlePage = {
  reader: "bo",
  principal: "support-bot",
  capability: fileChangeSample.capability,
  count: 12,
  items: [fileChangeSample, { ...openedRefundSample, approval: "ask_other" }],
};
