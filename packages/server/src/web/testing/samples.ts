import type { ApprovalPage } from "../page-data/approval-types.ts";
import type { EditPage } from "../page-data/edit-types.ts";

export const minutes = 60_000;

export const now = Date.UTC(2026, 2, 1, 9, 32);

const digest = "1f0c88ab04d29e71c5b1a7d2f3e4968770a1b2c3d4e5f60718293a4b5c6d7e8f";

/** A high-risk refund, as the approver first sees it. */
export const refundSample: ApprovalPage = {
  now,
  reader: { id: "bo", voterStatus: "approver" },
  approval: "ask_01k2m4x7q3",
  call: "call_01k2m4x7p9",
  round: 1,
  status: "open",
  digest,
  askedAt: now - 2 * minutes,
  expiresAt: now + 238 * minutes,
  headline: "Refund €12.50 to Jon Ash",
  capability: "billing.refund",
  contract: { version: 1, summary: "Refund a payment", effect: "write", risk: "high" },
  asker: { id: "support-bot", kind: "agent", owner: "ana", onBehalfOf: "carla" },
  input: { payment: "•••", cents: 1250 },
  preview: {
    changes: [
      {
        kind: "update",
        target: "payment •••",
        summary: "Refund 12.50 € of 49.00 € to the card it was paid with",
        details: {
          status: { before: "captured", after: "partly refunded" },
          amount: "12.50 €",
          left: { before: "49.00 €", after: "36.50 €" },
        },
      },
    ],
    basis: { status: "captured", refunded: 0 },
  },
  purpose: "The customer returned the lamp. The warehouse has it back since this morning.",
  guards: [
    {
      id: "refunds-above-10",
      ruling: "ask",
      quorum: 1,
      urgency: "high",
      sentence: "Refunds above 10 € need a person of support.",
      group: "support",
    },
  ],
  votes: [],
  notUndone: [],
  checks: [{ check: "fraud.score", passed: true, score: 91, findings: [] }],
  history: { outcomes: { succeeded: 41, denied: 2, failed: 1 }, lastDeniedAt: now - 4 * 24 * 60 * minutes },
  masked: ["payment"],
  state: "asking",
  opened: false,
  mustOpen: true,
  acknowledgedBy: [],
  messages: [],
  forms: { deny: "proof-of-seeing", reveal: "proof-of-seeing" },
};

/** The same page with its details opened. */
export const openedRefundSample: ApprovalPage = {
  ...refundSample,
  opened: true,
  mustOpen: false,
  forms: { deny: "proof-of-opening", approve: "proof-of-opening", reveal: "proof-of-opening" },
};

export const diff = `--- a/deploy/web.yaml
+++ b/deploy/web.yaml
@@ -12,6 +12,7 @@
     spec:
       containers:
         - name: web
-          image: registry.example/web:1.8.2
+          image: registry.example/web:1.9.0
+          imagePullPolicy: IfNotPresent
           ports:
             - containerPort: 8080
`;

/** A medium-risk change to a file, with all details on the first page. */
export const fileChangeSample: ApprovalPage = {
  ...refundSample,
  headline: "Update deploy/web.yaml",
  capability: "files.write",
  contract: { version: 2, summary: "Write a file", effect: "write", risk: "medium" },
  asker: { id: "release-bot", kind: "agent", owner: "ana" },
  input: { path: "deploy/web.yaml", text: "…" },
  preview: {
    changes: [{ kind: "update", target: "deploy/web.yaml", summary: "2 lines added, 1 removed", diff }],
    basis: { sha256: digest, bytes: 812 },
  },
  purpose: "Roll out 1.9.0, as agreed in the stand-up.",
  guards: [
    {
      id: "deploys-need-two",
      ruling: "ask",
      quorum: 2,
      urgency: "normal",
      sentence: "Two people approve deployments.",
    },
  ],
  votes: [{ by: "dora", decision: "approve", as: "approver", at: now - minutes }],
  notUndone: [],
  checks: [
    {
      check: "yaml.lint",
      passed: false,
      findings: [{ code: "no-limits", path: "input.text", sentence: "The container has no memory limit." }],
    },
  ],
  history: { outcomes: {} },
  masked: [],
  mustOpen: false,
  forms: { deny: "proof-of-opening", approve: "proof-of-opening" },
};

/** The same page after a denial. */
export const deniedSample: ApprovalPage = {
  ...fileChangeSample,
  status: "denied",
  state: "closed",
  outcome: { kind: "denied", code: "denied" },
  votes: [
    { ...fileChangeSample.votes[0]!, reason: "The diff is what we agreed on." },
    {
      by: "bo",
      decision: "deny",
      as: "approver",
      at: now,
      reason: "Not before Monday: nothing is deployed at the weekend.",
    },
  ],
  forms: {},
};

/** The refund, as the agent's owner sees it. */
export const ownCallSample: ApprovalPage = {
  ...refundSample,
  reader: { id: "ana", voterStatus: "own-call" },
  mustOpen: false,
  forms: {},
};

/** A destructive query that needs two approvers of a group. */
export const querySample: ApprovalPage = {
  ...openedRefundSample,
  headline: "Delete 12,431 rows of session",
  capability: "db.execute",
  contract: {
    version: 1,
    summary: "Run a statement on the production database",
    effect: "destroy",
    risk: "critical",
  },
  asker: { id: "ops-bot", kind: "agent", owner: "ana" },
  input: { sql: "delete from session where seen_at < now() - interval '90 days'" },
  preview: {
    changes: [
      {
        kind: "delete",
        target: "production: session",
        summary: "Deletes 12,431 rows, counted in a transaction that was rolled back",
        details: {
          rows: 12431,
          sample: [
            { id: 81, person: "ana", seen_at: "2025-11-02" },
            { id: 96, person: "bo", seen_at: "2025-11-07" },
            { id: 104, person: "carla", seen_at: "2025-11-30" },
          ],
        },
      },
    ],
    basis: { rows: 12431 },
  },
  purpose: "Old sessions slow down the login page.",
  guards: [
    {
      id: "many-rows-need-two-dba",
      ruling: "ask",
      quorum: 2,
      urgency: "critical",
      sentence: "More than 1,000 rows of production need two people of dba.",
      group: "dba",
    },
  ],
  votes: [{ by: "dora", decision: "approve", as: "approver", at: now - minutes, groups: ["dba"] }],
  expiresAt: now + 11 * minutes,
  notUndone: [],
  checks: [],
  history: { outcomes: {} },
  masked: [],
};

/** A text with deceptive content. */
export const hostileText = [
  "photo\u202egpj.exe pay\u200bpal\ufeff x\u{e0041}\u{e007f} \u2764\ufe0f",
  "\u001b[31mred\u001b[0m \u009b2J \u0007",
  "<script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style>",
  "![](https://evil.example/pixel.png) [Approve](https://evil.example) **bold**",
  "\"' onmouseover=alert(1) x='&lt;b&gt;&#60;b&#62;",
  "</div></main></body><form action=https://evil.example><button>Approve</button></form><!--",
  "שלום عليكم {{7*7}} $(id) <%= 7*7 %>",
].join("\n");

/** A call without a preview. Its requester uses hostile text in every field. */
export const hostileSample: ApprovalPage = {
  ...refundSample,
  headline: "Run a command",
  capability: "shell.run",
  guards: [{ ...refundSample.guards[0]!, id: "commands", sentence: "Commands need a person of support." }],
  contract: { version: 1, summary: "Run a command", effect: "write", risk: "medium" },
  asker: { id: "bot\u202eanimda", kind: "agent", owner: "<b>ana</b>", onBehalfOf: "ca\u200brla" },
  input: { command: hostileText },
  preview: "none",
  purpose: hostileText,
  notUndone: [],
  checks: [
    {
      check: "shell.lint",
      passed: false,
      findings: [{ code: "odd-text", path: "input.command", sentence: hostileText }],
    },
  ],
  masked: [],
  mustOpen: false,
  forms: { deny: "proof-of-opening", approve: "proof-of-opening" },
};

/** The refund in its second round, with messages. The payment changed after the first round. */
export const secondRoundSample: ApprovalPage = {
  ...openedRefundSample,
  round: 2,
  voidCode: "basis-changed",
  earlier: {
    changes: [
      { kind: "update", target: "payment •••", summary: "Refund 12.50 € of 49.00 €, to a gift card" },
    ],
    basis: { status: "authorised" },
  },
  messages: [
    { by: "bo", kind: "question", at: now - 5 * minutes, text: "Is the lamp back?" },
    { by: "support-bot", kind: "answer", at: now - 4 * minutes, text: "<b>Yes</b>\u202e, it is." },
  ],
  forms: { ...openedRefundSample.forms, say: "proof-of-seeing" },
};

/** A question with three options, from an agent. */
export const choiceSample: ApprovalPage = {
  ...fileChangeSample,
  headline: "Ask a person: “Which colour should it be?”",
  capability: "human.ask",
  contract: { version: 1, summary: "Ask a person", effect: "read", risk: "low" },
  preview: "none",
  input: {
    question: "Which colour should it be?",
    kind: "choice",
    options: ["red", "green", "blue"],
    why: "The customer did not say.",
  },
  guards: [
    {
      id: "capability:answer",
      ruling: "ask",
      quorum: 1,
      urgency: "normal",
      sentence: "Only a person can answer this.",
    },
  ],
  votes: [],
  checks: [],
  answerRequest: {
    kind: "choice",
    question: "Which colour should it be?",
    why: "The customer did not say.",
    options: ["red", "green", "blue"],
  },
  forms: { ...fileChangeSample.forms, say: "proof-of-seeing" },
};

/** The same page after a person has answered. */
export const answeredSample: ApprovalPage = {
  ...choiceSample,
  status: "approved",
  state: "closed",
  outcome: { kind: "succeeded", code: "done" },
  votes: [{ by: "bo", decision: "approve", as: "approver", at: now, answered: true }],
  answer: "green",
  forms: {},
};

export const editSample: EditPage = {
  reader: "bo",
  approval: "ask_1",
  digest: "0".repeat(64),
  proof: "proof-of-seeing",
  title: "Refund a payment",
  headline: "Refund €12.50 to Jon Ash",
  capability: "billing.refund",
  raw: false,
  fault: "`cents` must be a number.",
  approvers: {
    isOnlyPerson: false,
    quorum: 1,
    groups: ["support"],
    people: ["cy", "dora"],
    hasMore: false,
  },
  fields: [
    { name: "input/payment", label: "payment", kind: "text", value: "•••", required: true, omittable: false },
    { name: "input/cents", label: "cents", kind: "number", value: "1250", required: true, omittable: false },
    {
      name: "input/colour",
      label: "colour",
      kind: "choice",
      value: '"red"',
      required: false,
      options: ['"red"', '"green"'],
      omittable: true,
    },
    {
      name: "input/box",
      label: "box",
      kind: "group",
      value: "",
      required: true,
      omittable: false,
      fields: [
        {
          name: "input/box/tags",
          label: "tags",
          kind: "json",
          value: '[\n  "x"\n]',
          required: false,
          omittable: true,
          help: "What it is known by",
        },
      ],
    },
  ],
};
