import { z } from "@hono/zod-openapi";
import { effects, outcomeKinds, risks, urgencies } from "@paraph/core";
import {
  anyJson,
  approvalId,
  asker,
  callId,
  capabilityName,
  jsonObject,
  sha256,
  time,
  visible,
} from "./common.ts";
import { openCall } from "./examples.ts";

export const performer = z
  .literal("agent")
  .openapi({ description: "Who asked performs it itself, takes it first and reports afterwards." });

export const states = [
  "previewing",
  "checking",
  "asking",
  "ready",
  "queued",
  "parked",
  "offered",
  "performing",
  "composing",
  "delayed",
  "closed",
] as const;

export const session = z
  .strictObject({ session: visible.optional(), thread: visible.optional() })
  .openapi({ description: "The caller's own ids for what groups its calls." });

export const requirements = z
  .strictObject({
    people: z.int().min(1).max(20).optional().openapi({ description: "How many people must approve." }),
    group: visible.optional().openapi({ description: "Only people of this group count." }),
    urgency: z.enum(urgencies).optional(),
    checks: z.array(capabilityName).max(20).optional().openapi({ description: "Checks that must pass." }),
  })
  .openapi({ description: "What you demand beyond policy: it can tighten and never loosen." });

export const saidPurpose = z
  .string()
  .max(10_000)
  .openapi({ description: "What it is for: shown to approvers as your words, never believed." });

export const newCall = z
  .strictObject({
    capability: capabilityName,
    input: anyJson
      .refine((value) => value !== undefined, "required")
      .openapi({ description: "Checked against the capability's contract." }),
    session: session.optional(),
    purpose: saidPurpose.optional(),
    requirements: requirements.optional(),
  })
  .openapi("NewCall", {
    example: {
      capability: "billing.refund",
      input: { payment: "pay_8Zk2", cents: 1250 },
      session: { session: "chat-81", thread: "turn-4" },
      purpose: "The customer returned the lamp.",
    },
  });

export const outcome = z
  .object({ kind: z.enum(outcomeKinds), code: z.string() })
  .openapi("Outcome", { example: { kind: "succeeded", code: "done" } });

export const guard = z.object({
  id: z.string(),
  sentence: z.string().openapi({ description: "Why people are asked." }),
  quorum: z.int().openapi({ description: "How many distinct people have to approve." }),
  group: z.string().optional().openapi({ description: "Only people of this group count." }),
  steps: z
    .array(z.string())
    .optional()
    .openapi({ description: "The steps of a plan that people are asked for; missing: the whole." }),
});

export const change = z.object({
  kind: z.enum(["create", "update", "delete", "move", "send", "run", "other"]),
  target: z.string(),
  summary: z.string().optional(),
  diff: z.string().optional(),
  details: jsonObject.optional(),
  incomplete: z
    .literal(true)
    .optional()
    .openapi({ description: "Some of what would be done is not shown; such a call cannot be approved." }),
});

/** What is known of one step before the whole is asked about. */
export const stepPreview = z.object({
  id: z.string(),
  capability: capabilityName,
  version: z.int(),
  effect: z.enum(effects),
  risk: z.enum(risks),
  changes: z.int().openapi({ description: "How many of the changes, in order, are this step's." }),
  basis: anyJson,
  seen: z.boolean().openapi({
    description:
      "Whether what it would change was looked at: there may be no preview, or it may be too early.",
  }),
  known: z.boolean().openapi({ description: "Whether all of its input is." }),
  restsOn: z
    .array(z.string())
    .openapi({ description: "Earlier steps: it is looked at again once they are done." }),
  cost: z.int().openapi({ description: "In minor units." }),
  visibility: z.enum(["everyone", "approvers"]),
});

export const preview = z
  .object({
    changes: z.array(change),
    basis: anyJson.openapi({ description: "The facts it rests on." }),
    steps: z.array(stepPreview).optional().openapi({ description: "Of a plan: whose the changes are." }),
  })
  .openapi("Preview");

/** Null where the capability has none to make, or this reader may not see it. */
export const previewOrNot = z.union([preview, z.null()]);

export const purpose = z
  .object({ text: z.string(), checked: z.literal(false) })
  .openapi({ description: "The words of who asked, unchecked." });

const awaited = [
  ...(["approval", "check", "lock", "retry", "thaw", "agent", "steps", "performing", "preview"] as const),
  "stuck",
] as const;

export const waiting = z
  .object({
    for: z.enum(awaited),
    until: time.optional(),
    approval: z
      .object({
        id: approvalId,
        expiresAt: time,
        digest: sha256,
        fingerprint: z.string().openapi({ example: "1f0c 88ab 04d2 9e71" }),
        guards: z.array(guard),
      })
      .optional(),
    how: z.string().openapi({ description: "How to wait, in one sentence." }),
  })
  .openapi("Waiting", { description: "What an open call waits for." });

export const findings = ["happened", "not-happened"] as const;

const resolution = z
  .object({
    finding: z.enum(findings),
    by: z.string(),
    how: z.enum(["person", "probe"]),
    at: time,
    reason: anyJson.optional(),
  })
  .openapi("Resolution", { description: "What was found out about an unknown outcome." });

export const parent = z
  .object({ call: callId, step: z.string() })
  .openapi({ description: "The plan, or other composite, that this call is a step of." });

export const callView = z
  .object({
    call: callId,
    capability: capabilityName,
    version: z.int(),
    contractDigest: sha256,
    state: z.enum(states),
    principal: asker,
    performer: performer.optional(),
    key: z.string(),
    session: z.object({ session: z.string().optional(), thread: z.string().optional() }),
    createdAt: time,
    closedAt: time.optional(),
    outcome: outcome.optional(),
    waiting: waiting.optional(),
    input: anyJson.optional().openapi({ description: "Missing once it was erased." }),
    purpose: purpose.optional(),
    previewed: z.boolean(),
    preview: previewOrNot,
    output: anyJson.optional(),
    error: anyJson.optional().openapi({ description: "What the capability said when it failed." }),
    reason: anyJson.optional().openapi({ description: "Why the last to decide decided so." }),
    refusal: z
      .object({ policies: z.array(z.string()), sentence: z.string() })
      .optional()
      .openapi({ description: "The policies that refused it, and why. No policy: none permits it." }),
    answer: anyJson.optional().openapi({ description: "What a person answered, where one was asked." }),
    instructions: z
      .string()
      .optional()
      .openapi({ description: "It was returned: what to do instead, in a new call." }),
    supersedes: callId.optional().openapi({ description: "The call whose place this one took." }),
    successor: callId
      .optional()
      .openapi({ description: "The call that took its place: ask for this one no more." }),
    editedBy: z.string().optional().openapi({ description: "The person who edited it." }),
    parent: parent.optional(),
    resolution: resolution.optional(),
    joined: z
      .literal(true)
      .optional()
      .openapi({ description: "The same was being asked in this session already: this is that call." }),
    undo: anyJson.optional().openapi({ description: "The call that would take it back, if there is a way." }),
    approval: z.object({ id: approvalId, round: z.int(), status: z.string() }).optional(),
    attempts: z.array(z.object({ number: z.int(), at: time, ended: z.string().optional() })),
    masked: z.array(z.string()).openapi({
      description: "Sensitive fields that this reader sees as `•••`.",
      example: ["payment"],
    }),
    links: z.object({
      self: z.string(),
      events: z.string(),
      receipt: z.string().optional(),
      plan: z.string().optional(),
      undo: z.string().optional(),
    }),
  })
  .openapi("Call", { example: openCall });

export type CallView = z.input<typeof callView>;
export type Waiting = z.input<typeof waiting>;

const stuck = z.string().openapi({
  description: "The code of why its segments keep failing. Nothing happens until a person lets it go on.",
  example: "unexpected-error",
});

export const callSummary = z
  .object({
    call: callId,
    capability: capabilityName,
    version: z.int(),
    principal: z.string(),
    state: z.enum(states),
    outcome: outcome.optional(),
    createdAt: time,
    closedAt: time.optional(),
    finding: z
      .enum(findings)
      .optional()
      .openapi({ description: "What was found out about an unknown outcome." }),
    stuck: stuck.optional(),
    parent: parent.optional(),
  })
  .openapi("CallSummary");

export const cloudEvent = z
  .object({
    specversion: z.literal("1.0"),
    id: z.string().openapi({ example: "call_01k2m4x7p9.3" }),
    source: z.string().openapi({ example: "/v1/calls/call_01k2m4x7p9" }),
    type: z.string().openapi({ example: "dev.paraph.call.asked.v1" }),
    time,
    subject: z.string().openapi({ example: "call_01k2m4x7p9" }),
    datacontenttype: z.literal("application/json"),
    data: jsonObject.openapi({ description: "Ids, numbers, codes and commitments; never a payload." }),
  })
  .openapi("CallEvent", { description: "One fact in the life of a call, as CloudEvents 1.0." });
