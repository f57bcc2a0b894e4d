import { z } from "@hono/zod-openapi";
import { notUndoneReasons } from "@paraph/core";
import { guard, parent, performer, previewOrNot, purpose } from "./call.ts";
import { anyJson, approvalId, asker, callId, capabilityName, sha256, time } from "./common.ts";
import { openRound } from "./examples.ts";

export const roundStatuses = ["open", "approved", "denied", "expired", "void"] as const;
const status = z.enum(roundStatuses);
const fingerprint = z.string().openapi({ example: "1f0c 88ab 04d2 9e71" });

export const approvalSummary = z
  .object({
    approval: approvalId,
    call: callId,
    round: z.int(),
    status,
    capability: capabilityName,
    principal: z.string(),
    digest: sha256,
    fingerprint,
    guards: z.array(guard),
    votes: z.int(),
    askedAt: time,
    expiresAt: time,
  })
  .openapi("ApprovalSummary");

export const bundle = z
  .object({
    principal: z.string(),
    capability: capabilityName,
    count: z.int().openapi({ description: "How many are open." }),
    items: z.array(approvalSummary).openapi({ description: "The newest of them, at most 100." }),
  })
  .openapi("Bundle", {
    description: "More open approvals of one principal for one capability than one looks at one by one.",
  });

const check = z
  .object({
    check: capabilityName,
    passed: z.boolean(),
    error: z.literal(true).optional().openapi({ description: "The check could not be run." }),
    score: z.int().min(0).max(100).optional().openapi({ description: "0 (worst) to 100." }),
    findings: z.array(
      z.object({
        code: z.string(),
        path: z.string().optional().openapi({ description: "Path into the input." }),
        sentence: z.string(),
      }),
    ),
  })
  .openapi("CheckResult");

const stays = z
  .object({
    step: z.string().openapi({ description: "The step, below the plans it is part of: `deploy/notify`." }),
    call: callId,
    capability: capabilityName,
    reason: z.enum(notUndoneReasons).openapi({
      description:
        "`no-undo`: its capability offers none. `unknown`: its outcome is unknown. `plan-not-succeeded`: it is a step of a plan that did not succeed. `left-out`: an edit removed its undo.",
    }),
  })
  .openapi("NotUndone");

const newest = approvalId.openapi({ description: "The newest round about the same call." });

export const round = z.object({
  kind: z.literal("round"),
  approval: approvalId,
  call: callId,
  round: z.int(),
  status,
  newest,
  digest: sha256.openapi({ description: "Send it back with your decision: it counts for exactly this." }),
  fingerprint,
  expiresAt: time,
  capability: capabilityName,
  contract: z
    .object({
      version: z.int(),
      summary: z.string(),
      effect: z.enum(["read", "write", "destroy"]),
      risk: z.enum(["low", "medium", "high", "critical"]),
      performer: performer.optional(),
    })
    .nullable()
    .openapi({ description: "Null if this server no longer has the contract that was asked under." }),
  principal: asker,
  input: anyJson.optional(),
  previewed: z.boolean().openapi({ description: "False: nobody knows what exactly would change." }),
  preview: previewOrNot,
  purpose: purpose.optional(),
  guards: z.array(guard),
  votes: z.array(
    z.object({
      by: z.string(),
      decision: z.enum(["approve", "deny", "return"]),
      as: z.enum(["approver", "confirmation"]),
      at: time,
      groups: z.array(z.string()).optional(),
    }),
  ),
  checks: z.array(check).openapi({
    description: "Results of the checks that policy demanded, with findings for the approver.",
  }),
  notUndone: z.array(stays).openapi({
    description: "If the call is an undo: the effects that it does not take back.",
  }),
  declined: z
    .array(z.string())
    .optional()
    .openapi({ description: "Steps of a plan that somebody approved the rest without." }),
  supersedes: callId.optional().openapi({ description: "The call whose place this one took." }),
  editedBy: z.string().optional().openapi({ description: "The person who edited it." }),
  parent: parent.optional(),
  masked: z.array(z.string()),
  links: z.object({
    self: z.string(),
    call: z.string(),
    newest: z.string(),
    decision: z.string().optional(),
    edit: z.string().optional(),
    messages: z.string(),
  }),
});

export const pastRound = z.object({
  kind: z.literal("past-round"),
  approval: approvalId,
  call: callId,
  status: z.literal("void"),
  newest,
  links: z.object({ self: z.string(), call: z.string(), newest: z.string() }),
});

export const approvalView = z
  .discriminatedUnion("kind", [
    round.openapi("Round", { example: openRound }),
    pastRound.openapi("PastRound"),
  ])
  .openapi("Approval");

export type RoundView = z.input<typeof round>;
export type PastRoundView = z.input<typeof pastRound>;

export const decision = z
  .strictObject({
    decision: z.enum(["approve", "deny", "return"]).openapi({
      description: "`return` is a no with instructions for another try, given as the reason.",
    }),
    digest: sha256.openapi({ description: "The digest you were shown." }),
    reason: z.string().max(10_000).optional(),
    declined: z
      .array(z.string().max(64))
      .max(1_000)
      .optional()
      .openapi({ description: "Steps of a plan that you approve the rest without." }),
    answer: anyJson
      .optional()
      .openapi({ description: "What you answer, where the capability asks people for something." }),
  })
  .openapi("Decision", {
    example: {
      decision: "approve",
      digest: "1f0c88ab04d29e71c5b1a7d2f3e4968770a1b2c3d4e5f60718293a4b5c6d7e8f",
      reason: "Seen the return slip.",
    },
  });

export const edit = z
  .strictObject({
    digest: sha256.openapi({ description: "The digest you were shown." }),
    input: anyJson
      .refine((value) => value !== undefined, "required")
      .openapi({ description: "The whole input as it should be; what you see as `•••` stays as it is." }),
    step: z.string().max(64).optional().openapi({
      description: "The step of a plan that is meant: `input` is this step's.",
    }),
    reason: z.string().max(10_000).optional(),
  })
  .openapi("Edit");

export const handover = z
  .strictObject({
    digest: sha256.openapi({ description: "The digest you were shown." }),
    to: z.string().min(1).max(255).openapi({ description: "The person who decides in your place." }),
  })
  .openapi("Handover");

export const decisions = z
  .strictObject({
    decisions: z
      .array(
        z.strictObject({
          approval: approvalId,
          digest: sha256,
          decision: z.enum(["approve", "deny", "return"]),
          reason: z.string().max(10_000).optional(),
        }),
      )
      .min(1)
      .max(100),
  })
  .openapi("Decisions");

export const decisionResults = z.object({
  results: z.array(
    z.object({
      approval: approvalId,
      call: callId.optional(),
      state: z.string().optional(),
      problem: z.object({ code: z.string(), detail: z.string() }).optional(),
    }),
  ),
});
