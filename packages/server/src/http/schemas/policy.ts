import { z } from "@hono/zod-openapi";
import { guardKinds, proofKinds, rulingKinds } from "@paraph/core";
import {
  anyJsonSchema,
  callIdSchema,
  capabilityNameSchema,
  principalIdSchema,
  sha256Schema,
  timeSchema,
} from "./common.ts";
import { previewResultSchema } from "./plan.ts";

export const rulingKindSchema = z.enum(rulingKinds).openapi({
  description: "Policy's ruling: allow the call, run checks first, ask approvers first, or block it.",
});
const policyIdSchema = z.string().openapi({ example: "high-risk-needs-a-person" });
const version = sha256Schema.openapi({ description: "Digest of the policy set." });
const count = z.int().min(0);

export const policySchema = z
  .object({
    version,
    source: z.enum(["configuration", "published"]).openapi({
      description:
        "`configuration`: the set comes from the server's configuration. `published`: an administrator published it, and the configuration's policies are not in force.",
    }),
    configured: version.optional().openapi({ description: "Digest of the configuration's policy set." }),
    mode: z
      .enum(["enforce", "observe"])
      .openapi({ description: "`enforce` applies rulings. `observe` only records them." }),
    preset: z.string().openapi({ example: "balanced" }),
    unattended: z.array(capabilityNameSchema).openapi({
      description: "Capabilities that agents may use unattended.",
    }),
    policies: z.array(
      z.object({
        id: policyIdSchema,
        file: z.string().openapi({ example: "policies/refunds.cedar" }),
        line: z.int(),
        effect: z.enum(["permit", "forbid"]),
        demands: z
          .enum(guardKinds)
          .optional()
          .openapi({ description: "For a guard: the evidence that it demands." }),
        quorum: z
          .int()
          .optional()
          .openapi({ description: "For a guard: the number of people who must approve." }),
        group: z
          .string()
          .optional()
          .openapi({ description: "For a guard: the group that the approvers must be members of." }),
        proof: z
          .enum(proofKinds)
          .optional()
          .openapi({ description: "For a guard: what each approval must prove." }),
        shadow: z.boolean().openapi({ description: "Whether the policy is only recorded and not applied." }),
        sentence: z.string().optional(),
      }),
    ),
    files: z
      .array(z.object({ file: z.string(), text: z.string() }))
      .openapi({ description: "The Cedar text of every file, the preset first." }),
  })
  .openapi("Policy", { description: "The policy set in force." });

const policyCountSchema = z.object({ policy: policyIdSchema, ruling: rulingKindSchema, calls: count });

export const policyReportSchema = z
  .object({
    since: timeSchema,
    until: timeSchema,
    calls: count.openapi({
      description: "Calls that policy ruled on. Each counts once, by its strictest ruling.",
    }),
    enforced: count.openapi({
      description: "How many calls were actually checked, sent to approvers or blocked.",
    }),
    rulings: z.object({ allow: count, check: count, ask: count, block: count }),
    byPolicy: z.array(policyCountSchema),
    byCapability: z.array(
      policyCountSchema.omit({ policy: true }).extend({ capability: capabilityNameSchema }),
    ),
    shadow: z
      .object({ calls: count, byPolicy: z.array(policyCountSchema) })
      .openapi({ description: "Calls that shadow policies would have ruled on differently." }),
  })
  .openapi("PolicyReport");

const rulingSummarySchema = z.object({
  kind: rulingKindSchema,
  policies: z.array(policyIdSchema),
  code: z.string().optional(),
});

const explainedRulingSchema = z.object({
  at: timeSchema,
  moment: z
    .enum(["admission", "revalidation", "intent"])
    .openapi({ description: "At admission, at a later revalidation, or just before the intent." }),
  ruling: rulingKindSchema,
  code: z.string().optional(),
  sentence: z.string().optional(),
  version: z.string(),
  inForce: z.boolean().openapi({ description: "Whether the policy set that ruled is the one in force now." }),
  policies: z.array(z.object({ id: policyIdSchema, sentence: z.string().optional() })),
  satisfied: z
    .array(
      z.object({
        policy: policyIdSchema,
        by: z.enum(["people", "checks", "grant"]),
        who: z.array(z.string()),
      }),
    )
    .openapi({ description: "Guards that were unmet before, and the evidence that satisfied them." }),
  unmet: z
    .array(z.object({ policy: policyIdSchema.optional(), sentence: z.string() }))
    .openapi({ description: "Demands that the call must still meet." }),
  asked: z
    .object({
      principal: z.object({
        id: z.string(),
        kind: z.enum(["agent", "person", "service"]),
        owner: z.string().optional(),
        onBehalfOf: z.string().optional(),
        groups: z.array(z.string()).optional(),
      }),
      preview: z.boolean(),
      env: z
        .object({
          at: z.int(),
          callsLastHour: count,
          callsLastDay: count,
          spentToday: z.int(),
          deniedLastHour: count,
        })
        .optional(),
    })
    .optional()
    .openapi({
      description: "Facts that policy received besides input and preview. Missing after an erasure.",
    }),
  observed: rulingSummarySchema
    .optional()
    .openapi({ description: "The ruling that enforce mode would have applied." }),
  shadow: rulingSummarySchema.optional(),
});

export const explanationSchema = z
  .object({ call: callIdSchema, capability: capabilityNameSchema, rulings: z.array(explainedRulingSchema) })
  .openapi("Explanation", { description: "Explanation of every ruling of a call." });

export const newBacktestSchema = z
  .strictObject({
    since: timeSchema,
    until: timeSchema.optional().openapi({ description: "End (default: now)." }),
    maxDifferences: z
      .int()
      .min(0)
      .max(1_000)
      .default(50)
      .openapi({ description: "Maximum number of calls in the list." }),
    candidate: z
      .strictObject({
        sources: z
          .array(z.strictObject({ file: z.string().min(1).max(255), text: z.string() }))
          .max(200)
          .default([])
          .openapi({
            description: "Texts of Cedar policies. Each file replaces the one of the same name in force.",
          }),
        replace: z.boolean().default(false).openapi({
          description: "Whether to use only these texts, without those in force.",
        }),
        preset: z.enum(["permissive", "balanced", "strict"]).optional(),
        unattended: z.array(capabilityNameSchema).max(1_000).optional(),
        checkLevels: z.record(z.string(), z.array(capabilityNameSchema)).optional(),
      })
      .openapi({ description: "The candidate policy set. Missing fields stay as they are now." }),
  })
  .openapi("NewBacktest", {
    example: {
      since: "2026-02-01T00:00:00.000Z",
      maxDifferences: 50,
      candidate: {
        sources: [
          {
            file: "policies/no-deletes.cedar",
            text: '@id("no-deletes") forbid (principal, action in Action::"effect:destroy", resource);',
          },
        ],
        replace: false,
      },
    },
  });

const backtestProgressSchema = z.object({ kind: z.literal("progress"), done: count, total: count });

const directionCounts = { looser: count, tighter: count, other: count };

const requiredApproversSchema = z.object({ quorum: count, group: z.string().optional() });

const backtestResultSchema = z.object({
  kind: z.literal("result"),
  version,
  since: timeSchema,
  until: timeSchema,
  calls: count,
  evaluated: count,
  changed: count.openapi({
    description: "How many calls would have a different ruling or need other approvers.",
  }),
  directions: z.object(directionCounts).openapi({
    description:
      "The changed calls by direction. `other`: other people would be asked, neither more nor fewer demands.",
  }),
  allowedAgainstDenial: count.openapi({
    description: "How many calls people denied that these policies would allow.",
  }),
  days: z.array(z.object({ day: z.iso.date(), ...directionCounts })).openapi({
    description: "The changed calls by day (UTC), oldest first. Days without a change are left out.",
  }),
  unpreviewed: count.openapi({
    description:
      "Calls that were compared by their first ruling, because policy blocked them before the preview.",
  }),
  byRuling: z.array(
    z.object({
      was: rulingKindSchema,
      wouldBe: rulingKindSchema,
      calls: count,
      otherPolicies: count,
      otherApprovers: count.openapi({
        description: "Calls for which the candidate asks other people, or another number of people.",
      }),
    }),
  ),
  byPolicy: z.array(z.object({ policy: policyIdSchema, wouldBe: rulingKindSchema, calls: count })),
  notEvaluated: z.record(z.string(), count).openapi({
    description: "How many calls could not be evaluated, by reason.",
    example: { erased: 12, "contract-changed": 3 },
  }),
  differences: z
    .array(
      z.object({
        call: callIdSchema,
        capability: capabilityNameSchema,
        principal: z.string(),
        openedAt: timeSchema,
        was: rulingKindSchema,
        wouldBe: rulingKindSchema,
        direction: z.enum(["looser", "tighter", "other"]),
        wasDenied: z
          .literal(true)
          .optional()
          .openapi({ description: "People denied the call, and these policies would allow it." }),
        approvers: z
          .object({ was: z.array(requiredApproversSchema), wouldBe: z.array(requiredApproversSchema) })
          .optional(),
        policies: z.array(policyIdSchema),
      }),
    )
    .openapi({
      description:
        "Calls whose ruling or approvers would differ: first those that people denied and these policies would allow, then looser rulings, then the others. In each part, the newest come first.",
    }),
});

const backtestFailureSchema = z.object({ kind: z.literal("failed"), code: z.string() });

/** One line of a backtest's response. */
export const backtestLineSchema = z
  .union([backtestProgressSchema, backtestResultSchema, backtestFailureSchema])
  .openapi("BacktestLine", { description: "The progress, and finally the result or a failure." });

export const newWhatIfSchema = z
  .strictObject({
    principal: principalIdSchema.openapi({ description: "The id of the principal who would request it." }),
    capability: capabilityNameSchema,
    input: anyJsonSchema.refine((value) => value !== undefined, "required"),
  })
  .openapi("NewWhatIf", {
    example: {
      principal: "support-bot",
      capability: "billing.refund",
      input: { payment: "pay_8Zk2", cents: 1250 },
    },
  });

export const whatIfSchema = previewResultSchema
  .omit({ preview: true, fault: true })
  .extend({
    fault: z.object({ code: z.string() }).optional().openapi({
      description: "The preview failed, so the call would be refused.",
    }),
  })
  .openapi("WhatIf", { description: "The ruling on a request that was not sent. Its preview is not shown." });

export type PolicyView = z.input<typeof policySchema>;
export type PolicyReportView = z.input<typeof policyReportSchema>;
export type ExplanationView = z.input<typeof explanationSchema>;
export type NewBacktest = z.output<typeof newBacktestSchema>;
export type BacktestLine = z.input<typeof backtestLineSchema>;
