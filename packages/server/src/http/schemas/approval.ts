import { z } from "@hono/zod-openapi";
import { notUndoneReasons, risks } from "@paraph/core";
import { assertionSchema } from "../../passkeys/ceremonies.ts";
import {
  compressedStateSchema,
  guardSchema,
  headlineSchema,
  nullablePreviewSchema,
  parentSchema,
  performerSchema,
  previewSchema,
  purposeSchema,
} from "./call.ts";
import {
  anyJsonSchema,
  approvalIdSchema,
  callIdSchema,
  capabilityNameSchema,
  principalIdSchema,
  requesterSchema,
  sha256Schema,
  timeSchema,
} from "./common.ts";
import { openRoundExample } from "./examples.ts";
import { previewResultSchema } from "./plan.ts";

export const roundStatuses = ["open", "approved", "denied", "expired", "void"] as const;
const roundStatusSchema = z.enum(roundStatuses);
const fingerprintSchema = z.string().openapi({ example: "1f0c88ab04d29e71" });

export const voterStatuses = [
  "approver",
  "confirmation",
  "own-call",
  "own-edit",
  "not-in-group",
  "reassigned",
  "represented",
] as const;
export const voterText =
  "While the round is open: whether your approval would count. `approver` and `confirmation`: it would. `own-call`: you can't decide on your own request or your agent's. `own-edit`: you edited the call. `not-in-group`: you are in no group that is asked. `reassigned`: you gave the approval to another person. `represented`: your delegate has approved.";

export const approvalSummarySchema = z
  .object({
    approval: approvalIdSchema,
    call: callIdSchema,
    round: z.int(),
    status: roundStatusSchema,
    headline: headlineSchema,
    capability: capabilityNameSchema,
    principal: z.string(),
    digest: sha256Schema,
    fingerprint: fingerprintSchema,
    guards: z.array(guardSchema),
    votes: z.int(),
    voter: z
      .enum(["voted", ...voterStatuses])
      .optional()
      .openapi({
        description: `${voterText} \`voted\`: you have decided already. Absent in bundles.`,
      }),
    askedAt: timeSchema,
    expiresAt: timeSchema,
  })
  .openapi("ApprovalSummary");

export const approvalBundleSchema = z
  .object({
    principal: z.string(),
    capability: capabilityNameSchema,
    count: z.int().openapi({ description: "Number of open approvals." }),
    items: z.array(approvalSummarySchema).openapi({ description: "The newest open approvals, at most 100." }),
  })
  .openapi("Bundle", {
    description: "Many open approvals of one principal for one capability, shown together.",
  });

const checkResultSchema = z
  .object({
    check: capabilityNameSchema,
    passed: z.boolean(),
    error: z.literal(true).optional().openapi({ description: "The check could not run." }),
    score: z.int().min(0).max(100).optional().openapi({ description: "0 (worst) to 100." }),
    findings: z.array(
      z.object({
        code: z.string(),
        path: z.string().optional().openapi({ description: "Path in the input." }),
        sentence: z.string(),
      }),
    ),
  })
  .openapi("CheckResult");

const notUndoneSchema = z
  .object({
    step: z
      .string()
      .openapi({ description: "The step, with the plans that contain it, such as `deploy/notify`." }),
    call: callIdSchema,
    capability: capabilityNameSchema,
    reason: z.enum(notUndoneReasons).openapi({
      description:
        "`no-undo`: its capability offers no undo. `unknown`: its outcome is unknown. `plan-not-succeeded`: it is a step of a plan that did not succeed. `left-out`: an edit removed its undo.",
    }),
  })
  .openapi("NotUndone");

const newestSchema = approvalIdSchema.openapi({ description: "The newest round about the same call." });

export const roundSchema = z.object({
  kind: z.literal("round"),
  approval: approvalIdSchema,
  call: callIdSchema,
  round: z.int(),
  status: roundStatusSchema,
  voidCode: z.string().optional().openapi({
    description:
      "Why the votes of this void round no longer count, or those of the round before: `basis-changed`, `approval-insufficient`, …",
  }),
  voter: z
    .enum(voterStatuses)
    .optional()
    .openapi({ description: `${voterText} Absent for agents and services.` }),
  needsPasskey: z.literal(true).optional().openapi({
    description:
      "Your approval needs a passkey, so approve in a browser: in the console or on the page `/approvals/{approval}`.",
  }),
  newest: newestSchema,
  digest: sha256Schema.openapi({
    description: "Send it with your decision, which counts only for this digest.",
  }),
  fingerprint: fingerprintSchema,
  expiresAt: timeSchema,
  headline: headlineSchema.openapi({
    description: "What the call does, in one line. The digest covers it. Sensitive values are masked.",
  }),
  capability: capabilityNameSchema,
  contract: z
    .object({
      version: z.int(),
      summary: z.string(),
      effect: z.enum(["read", "write", "destroy"]),
      risk: z.enum(["low", "medium", "high", "critical"]),
      performer: performerSchema.optional(),
    })
    .nullable()
    .openapi({ description: "Null if this server no longer has the contract of the call." }),
  risk: z.enum(risks).optional().openapi({
    description:
      "The risk that the approver takes. For a plan: the highest among its steps. Missing if the contract is missing.",
  }),
  confirmation: z.string().optional().openapi({
    description:
      "For an open call of critical risk: what the console has the approver type, such as the target of its gravest change.",
  }),
  principal: requesterSchema,
  input: anyJsonSchema.optional(),
  previewed: z.boolean().openapi({ description: "False means that there is no preview of the changes." }),
  preview: nullablePreviewSchema,
  earlierPreview: previewSchema.optional().openapi({
    description:
      "The preview of the round before, if Paraph asks again. Missing if it is hidden from you, or if there was none.",
  }),
  purpose: purposeSchema.optional(),
  compressedState: compressedStateSchema.optional(),
  guards: z.array(guardSchema),
  votes: z.array(
    z.object({
      by: z.string(),
      decision: z.enum(["approve", "deny", "return"]),
      as: z.enum(["approver", "confirmation"]),
      at: timeSchema,
      groups: z.array(z.string()).optional(),
    }),
  ),
  checks: z.array(checkResultSchema).openapi({
    description: "Results of the checks that policy demanded, with findings for the approver.",
  }),
  notUndone: z.array(notUndoneSchema).openapi({
    description: "If the call is an undo: the effects that it does not undo.",
  }),
  declined: z
    .array(z.string())
    .optional()
    .openapi({ description: "Steps of a plan that an approval left out." }),
  supersedes: callIdSchema.optional().openapi({ description: "The call that this one replaced." }),
  editedBy: z.string().optional().openapi({ description: "The person who edited it." }),
  parent: parentSchema.optional(),
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

export const pastRoundSchema = z.object({
  kind: z.literal("past-round"),
  approval: approvalIdSchema,
  call: callIdSchema,
  status: z.literal("void"),
  newest: newestSchema,
  links: z.object({ self: z.string(), call: z.string(), newest: z.string() }),
});

export const openRoundSchema = roundSchema.openapi("Round", { example: openRoundExample });

export const approvalSchema = z
  .discriminatedUnion("kind", [openRoundSchema, pastRoundSchema.openapi("PastRound")])
  .openapi("Approval");

export type RoundView = z.input<typeof roundSchema>;
export type PastRoundView = z.input<typeof pastRoundSchema>;

export const approversSchema = z
  .object({
    approvers: z.array(
      z.object({
        id: z.string(),
        groups: z.array(z.string()).openapi({
          description: "The groups of the guards in which the approval counts.",
        }),
        inPlaceOf: z.array(z.string()).openapi({
          description: "The people whose groups it needs, as their delegate or because they reassigned it.",
        }),
      }),
    ),
    hasMore: z.boolean().openapi({
      description: "Whether the approval asks more people than the list considers, which is 50.",
    }),
  })
  .openapi("Approvers");

export const decisionSchema = z
  .strictObject({
    decision: z.enum(["approve", "deny", "return"]).openapi({
      description: "`return` denies the call and gives instructions for another request in `reason`.",
    }),
    digest: sha256Schema.openapi({ description: "The digest you were shown." }),
    reason: z.string().max(10_000).optional(),
    declined: z
      .array(z.string().max(64))
      .max(1_000)
      .optional()
      .openapi({ description: "Steps of a plan that your approval leaves out." }),
    answer: anyJsonSchema
      .optional()
      .openapi({ description: "Your answer, if the capability asks people for one." }),
    passkey: assertionSchema.optional().openapi({
      description: "The assertion with which your passkey signed the challenge of this approval.",
    }),
  })
  .openapi("Decision", {
    example: {
      decision: "approve",
      digest: "1f0c88ab04d29e71c5b1a7d2f3e4968770a1b2c3d4e5f60718293a4b5c6d7e8f",
      reason: "Seen the return slip.",
    },
  });

export const passkeyRequestSchema = decisionSchema
  .pick({ digest: true, declined: true, answer: true })
  .openapi("PasskeyRequest");

export const passkeyChallengeSchema = z
  .object({
    challenge: z.string().openapi({ description: "The challenge that the passkey must sign, as base64url." }),
    rpId: z.string().openapi({ description: "The host name to which browsers bind your passkeys." }),
    credentials: z
      .array(z.string())
      .openapi({ description: "The ids of your enrolled passkeys, as base64url." }),
  })
  .openapi("PasskeyChallenge");

export const revealRequestSchema = z
  .strictObject({ digest: sha256Schema.openapi({ description: "The digest you were shown." }) })
  .openapi("RevealRequest");

export const editSchema = z
  .strictObject({
    digest: sha256Schema.openapi({ description: "The digest you were shown." }),
    input: anyJsonSchema
      .refine((value) => value !== undefined, "required")
      .openapi({ description: "The complete new input. Fields that you see as `•••` keep their value." }),
    step: z.string().max(64).optional().openapi({
      description: "The step of a plan whose input you edit.",
    }),
    reason: z.string().max(10_000).optional(),
  })
  .openapi("Edit");

export const editPreviewSchema = previewResultSchema
  .extend({
    headline: headlineSchema.openapi({ description: "What the edited call would do, in one line." }),
    masked: z.array(z.string()),
  })
  .openapi("EditPreview", { description: "The preview and the ruling of an edit that was not made." });

export const reassignmentSchema = z
  .strictObject({
    digest: sha256Schema.openapi({ description: "The digest you were shown." }),
    to: principalIdSchema.openapi({ description: "The person who votes in your place." }),
  })
  .openapi("Reassignment");

export const acknowledgementRequestSchema = z
  .strictObject({ digest: sha256Schema.openapi({ description: "The digest you were shown." }) })
  .openapi("AcknowledgementRequest");

export const acknowledgementSchema = z
  .object({
    approval: approvalIdSchema,
    by: z.string(),
    until: timeSchema.openapi({ description: "Paraph neither reminds nor escalates before this time." }),
  })
  .openapi("Acknowledgement");

export const bulkDecisionSchema = z
  .strictObject({
    decisions: z
      .array(
        z.strictObject({
          approval: approvalIdSchema,
          digest: sha256Schema,
          decision: z.enum(["approve", "deny", "return"]),
          reason: z.string().max(10_000).optional(),
        }),
      )
      .min(1)
      .max(100),
  })
  .openapi("Decisions");

export const bulkDecisionResultSchema = z.object({
  results: z.array(
    z.object({
      approval: approvalIdSchema,
      call: callIdSchema.optional(),
      state: z.string().optional(),
      problem: z.object({ code: z.string(), detail: z.string() }).optional(),
    }),
  ),
});
