import { z } from "@hono/zod-openapi";
import { callIdSchema, capabilityNameSchema, sha256Schema, timeSchema } from "./common.ts";

export const rulingKindSchema = z.enum(["allow", "check", "ask", "block"]).openapi({
  description: "What policy says: let it pass, check it first, ask people first, or refuse it.",
});
const policyIdSchema = z.string().openapi({ example: "high-risk-needs-a-person" });
const version = sha256Schema.openapi({ description: "Digest of the set of policies." });
const count = z.int().min(0);

export const policySchema = z
  .object({
    version,
    mode: z.enum(["enforce", "observe"]).openapi({ description: "`observe` hinders nothing." }),
    preset: z.string().openapi({ example: "balanced" }),
    unattended: z.array(capabilityNameSchema).openapi({
      description: "Capabilities that agents may write with while nobody watches.",
    }),
    policies: z.array(
      z.object({
        id: policyIdSchema,
        file: z.string().openapi({ example: "policies/refunds.cedar" }),
        line: z.int(),
        effect: z.enum(["permit", "forbid"]),
        demands: z.enum(["ask", "check"]).optional().openapi({ description: "A guard: what lifts it." }),
        shadow: z.boolean().openapi({ description: "Noted, and not in force." }),
        sentence: z.string().optional(),
      }),
    ),
  })
  .openapi("Policy", { description: "The set of policies in force." });

const policyCountSchema = z.object({ policy: policyIdSchema, ruling: rulingKindSchema, calls: count });

export const policyReportSchema = z
  .object({
    since: timeSchema,
    until: timeSchema,
    calls: count.openapi({ description: "Calls that policy ruled on; each counts once, by the strictest." }),
    hindered: count.openapi({ description: "How many were really checked, asked about or refused." }),
    rulings: z.object({ allow: count, check: count, ask: count, block: count }),
    byPolicy: z.array(policyCountSchema),
    byCapability: z.array(
      policyCountSchema.omit({ policy: true }).extend({ capability: capabilityNameSchema }),
    ),
    shadow: z
      .object({ calls: count, byPolicy: z.array(policyCountSchema) })
      .openapi({ description: "Calls that policies in shadow would have ruled on otherwise." }),
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
    .enum(["admission", "again", "intent"])
    .openapi({ description: "When it was new, when it was looked at again, or just before acting." }),
  ruling: rulingKindSchema,
  code: z.string().optional(),
  sentence: z.string().optional(),
  version: z.string(),
  inForce: z.boolean().openapi({ description: "Whether the set that was asked is the one in force now." }),
  policies: z.array(z.object({ id: policyIdSchema, sentence: z.string().optional() })),
  lifted: z
    .array(
      z.object({
        policy: policyIdSchema,
        by: z.enum(["people", "checks", "grant"]),
        who: z.array(z.string()),
      }),
    )
    .openapi({ description: "What had been demanded before, and what met it." }),
  needed: z
    .array(z.object({ policy: policyIdSchema.optional(), sentence: z.string() }))
    .openapi({ description: "What would let it go on." }),
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
    .openapi({ description: "What policy was told besides input and preview; missing once erased." }),
  observed: rulingSummarySchema
    .optional()
    .openapi({ description: "What it would have been, had it not only been observed." }),
  shadow: rulingSummarySchema.optional(),
});

export const explanationSchema = z
  .object({ call: callIdSchema, capability: capabilityNameSchema, rulings: z.array(explainedRulingSchema) })
  .openapi("Explanation", { description: "Why policy said what it said of a call, each time it was asked." });

export const newBacktestSchema = z
  .strictObject({
    since: timeSchema,
    until: timeSchema.optional().openapi({ description: "Now, unless given." }),
    most: z.int().min(0).max(1_000).default(50).openapi({ description: "How many calls are listed." }),
    candidate: z
      .strictObject({
        sources: z
          .array(z.strictObject({ file: z.string().min(1).max(255), text: z.string() }))
          .max(200)
          .default([])
          .openapi({ description: "Texts of Cedar policies; one of the same name as in force replaces it." }),
        instead: z.boolean().default(false).openapi({
          description: "These texts alone, without those in force.",
        }),
        preset: z.enum(["permissive", "balanced", "strict"]).optional(),
        unattended: z.array(capabilityNameSchema).max(1_000).optional(),
        checkLevels: z.record(z.string(), z.array(capabilityNameSchema)).optional(),
      })
      .openapi({ description: "What would be in force; what is missing is as it is now." }),
  })
  .openapi("NewBacktest", {
    example: {
      since: "2026-02-01T00:00:00.000Z",
      most: 50,
      candidate: {
        sources: [
          {
            file: "policies/no-deletes.cedar",
            text: '@id("no-deletes") forbid (principal, action in Action::"effect:destroy", resource);',
          },
        ],
        instead: false,
      },
    },
  });

const backtestProgressSchema = z.object({ kind: z.literal("progress"), done: count, total: count });

const backtestResultSchema = z.object({
  kind: z.literal("result"),
  version,
  since: timeSchema,
  until: timeSchema,
  calls: count,
  judged: count,
  changed: count.openapi({ description: "How many would have gone another way." }),
  unpreviewed: count.openapi({
    description: "Judged by the first answer, because policy had refused before there was a preview.",
  }),
  moves: z.array(
    z.object({ was: rulingKindSchema, wouldBe: rulingKindSchema, calls: count, otherPolicies: count }),
  ),
  byPolicy: z.array(z.object({ policy: policyIdSchema, wouldBe: rulingKindSchema, calls: count })),
  unjudged: z.record(z.string(), count).openapi({
    description: "How many could not be judged, by why.",
    example: { erased: 12, "contract-changed": 3 },
  }),
  differences: z.array(
    z.object({
      call: callIdSchema,
      capability: capabilityNameSchema,
      was: rulingKindSchema,
      wouldBe: rulingKindSchema,
      policies: z.array(policyIdSchema),
    }),
  ),
});

const backtestFailureSchema = z.object({ kind: z.literal("failed"), code: z.string() });

/** One line of a backtest's response. */
export const backtestLineSchema = z
  .union([backtestProgressSchema, backtestResultSchema, backtestFailureSchema])
  .openapi("BacktestLine", { description: "How far it is; at last what was found, or that it broke off." });

export type PolicyView = z.input<typeof policySchema>;
export type PolicyReportView = z.input<typeof policyReportSchema>;
export type ExplanationView = z.input<typeof explanationSchema>;
export type NewBacktest = z.output<typeof newBacktestSchema>;
export type BacktestLine = z.input<typeof backtestLineSchema>;
