import type { Json, Preview } from "@paraph/core";
import type { ApprovalPage, CallPage, PageStep } from "../page-data/approval-types.ts";
import { diff, fileChangeSample, minutes, now, querySample } from "./samples.ts";

const file = (id: string, more: Partial<PageStep> = {}): PageStep => ({
  id,
  headline: `Update deploy/${id}.yaml`,
  capability: "files.write",
  effect: "write",
  risk: "medium",
  input: { path: `deploy/${id}.yaml`, text: "…" },
  changes: [{ kind: "update", target: `deploy/${id}.yaml`, summary: "2 lines added, 1 removed", diff }],
  previewed: true,
  inputKnown: true,
  dependsOn: [],
  cost: 0,
  hidden: false,
  declinedBy: [],
  status: "planned",
  editHref: `/approvals/ask_01k2m4x7q3/edit?step=${id}`,
  ...more,
});

const purge: PageStep = file("purge", {
  headline: querySample.headline,
  capability: "db.execute",
  effect: "destroy",
  risk: "critical",
  input: querySample.input as Json,
  cost: 1250,
  changes: (querySample.preview as Preview).changes,
});

/** A critical-risk plan with every kind of step, as the approver first sees it. */
export const planSample: ApprovalPage = {
  ...fileChangeSample,
  headline: "Delete 12,431 rows of session and 6 more steps",
  capability: "plan.apply",
  contract: { version: 1, summary: "Carry out a plan", effect: "destroy", risk: "critical" },
  input: { version: 1, steps: [] },
  guards: [
    { ...fileChangeSample.guards[0]!, quorum: 2, steps: ["web", "api", "jobs"] },
    { ...querySample.guards[0]!, steps: ["purge"] },
  ],
  notUndone: [],
  checks: [],
  plan: {
    title: "Roll out 1.9.0",
    onFailure: "compensate",
    steps: [
      file("web"),
      file("api", { dependsOn: ["web"] }),
      file("jobs", { declinedBy: ["dora"] }),
      purge,
      file("report", {
        headline: "POST https://status.example/hook",
        capability: "http.request",
        changes: [],
        previewed: false,
        after: [],
        input: { url: "https://status.example/hook", method: "POST" },
      }),
      file("tell", {
        headline: "Send a mail (mail.send)",
        capability: "mail.send",
        risk: "high",
        changes: [],
        previewed: false,
        inputKnown: false,
        dependsOn: ["report"],
        input: { to: "ops", text: { $from: "report", path: "/id" } },
      }),
      file("rotate", {
        headline: "Rotate a secret (vault.rotate)",
        capability: "vault.rotate",
        hidden: true,
        changes: [],
        input: "•••",
      }),
    ],
  },
  votes: [{ ...fileChangeSample.votes[0]!, declined: ["jobs"] }],
  mustOpen: true,
  forms: { deny: "proof-of-seeing", say: "proof-of-seeing" },
};

/** The same page with its details opened, so that every step has a checkbox. */
export const openedPlanSample: ApprovalPage = {
  ...planSample,
  opened: true,
  mustOpen: false,
  forms: { ...planSample.forms, approve: "proof-of-opening" },
};

/** The same page while the steps run. */
export const begunPlanSample: ApprovalPage = {
  ...planSample,
  status: "approved",
  state: "composing",
  mustOpen: false,
  votes: [...planSample.votes, { by: "bo", decision: "approve", as: "approver", at: now, groups: ["dba"] }],
  forms: {},
  plan: {
    ...planSample.plan!,
    steps: planSample.plan!.steps.map((step, index) => ({
      ...step,
      declinedBy: [],
      ...([
        { status: "closed", outcome: { kind: "succeeded", code: "done" }, href: "/calls/call_1" },
        { status: "closed", outcome: { kind: "failed", code: "disk-full" }, href: "/calls/call_2" },
        { status: "declined" },
        { status: "open", state: "asking", href: "/calls/call_4" },
        { status: "open", state: "performing", href: "/calls/call_5" },
        { status: "skipped" },
      ][index] as Partial<PageStep> | undefined),
    })),
  },
};

/** A step that needed no approval. */
export const stepCallSample: CallPage = {
  now,
  reader: "bo",
  call: "call_01k2m4x7p9",
  headline: fileChangeSample.headline,
  capability: "files.write",
  createdAt: now - minutes,
  contract: fileChangeSample.contract!,
  asker: fileChangeSample.asker,
  input: fileChangeSample.input!,
  preview: fileChangeSample.preview,
  masked: [],
  state: "closed",
  outcome: { kind: "succeeded", code: "done" },
  parent: { step: "web", href: "/calls/call_01k2m4x7p0" },
};
