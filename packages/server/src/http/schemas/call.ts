import { z } from "@hono/zod-openapi";
import { callStates, effects, outcomeKinds, payloadNames, proofKinds, risks, urgencies } from "@paraph/core";
import {
  anyJsonSchema,
  approvalIdSchema,
  callIdSchema,
  capabilityNameSchema,
  jsonObjectSchema,
  requesterSchema,
  sha256Schema,
  timeSchema,
  visibleAsciiSchema,
} from "./common.ts";
import { openCallExample } from "./examples.ts";
import { intentRecordSchema } from "./intent-record.ts";

export const performerSchema = z.literal("agent").openapi({
  description:
    "The requester performs the call itself. It takes the call first and reports the result afterwards.",
});

export const sessionSchema = z
  .strictObject({ session: visibleAsciiSchema.optional(), thread: visibleAsciiSchema.optional() })
  .openapi({ description: "Ids that the caller gives to calls that belong together." });

export const requirementsSchema = z
  .strictObject({
    people: z.int().min(1).max(20).optional().openapi({ description: "How many people must approve." }),
    group: visibleAsciiSchema.optional().openapi({ description: "Only people of this group count." }),
    urgency: z.enum(urgencies).optional(),
    checks: z
      .array(capabilityNameSchema)
      .max(20)
      .optional()
      .openapi({ description: "Checks that must pass." }),
  })
  .openapi({ description: "Requirements in addition to policy. They can only make it stricter." });

export const newPurposeSchema = z
  .string()
  .max(10_000)
  .openapi({ description: "Purpose of the call. Approvers see it as your words, unverified." });

export const newCompressedStateSchema = z.string().min(1).max(20_000).openapi({
  description:
    "Your own summary of your state. `GET /v1/sessions/{session}` gives it back. Approvers see it as your words, unverified.",
});

export const newCallSchema = z
  .strictObject({
    capability: capabilityNameSchema,
    input: anyJsonSchema
      .refine((value) => value !== undefined, "required")
      .openapi({ description: "Must match the input schema of the capability." }),
    session: sessionSchema.optional(),
    purpose: newPurposeSchema.optional(),
    compressedState: newCompressedStateSchema.optional(),
    requirements: requirementsSchema.optional(),
  })
  .openapi("NewCall", {
    example: {
      capability: "billing.refund",
      input: { payment: "pay_8Zk2", cents: 1250 },
      session: { session: "chat-81", thread: "turn-4" },
      purpose: "The customer returned the lamp.",
    },
  });

export const headlineSchema = z.string().openapi({
  description: "What the call does, in one line. Sensitive values are masked.",
  example: "Refund €12.50 to Jon Ash",
});

export const outcomeSchema = z
  .object({ kind: z.enum(outcomeKinds), code: z.string() })
  .openapi("Outcome", { example: { kind: "succeeded", code: "done" } });

export const guardSchema = z.object({
  id: z.string(),
  sentence: z.string().openapi({ description: "Why the policy demands approval." }),
  quorum: z.int().openapi({ description: "How many different people must approve." }),
  group: z.string().optional().openapi({ description: "Only people of this group count." }),
  proof: z.enum(proofKinds).optional().openapi({
    description: "What each approval must prove. `passkey`: approve on the approval's page, with a passkey.",
  }),
  steps: z
    .array(z.string())
    .optional()
    .openapi({ description: "The steps of a plan that need approval. Missing: the whole plan." }),
});

export const changeSchema = z.object({
  kind: z.enum(["create", "update", "delete", "move", "send", "run", "other"]),
  target: z.string(),
  summary: z.string().optional(),
  diff: z.string().optional(),
  details: jsonObjectSchema.optional(),
  incomplete: z
    .literal(true)
    .optional()
    .openapi({ description: "The preview does not show every change. Such a call cannot be approved." }),
});

/** The preview of one step, which Paraph builds before it asks approvers about the plan. */
export const stepPreviewSchema = z.object({
  id: z.string(),
  capability: capabilityNameSchema,
  version: z.int(),
  effect: z.enum(effects),
  risk: z.enum(risks),
  changes: z.int().openapi({ description: "How many of the changes, in order, belong to this step." }),
  basis: anyJsonSchema,
  previewed: z.boolean().openapi({
    description:
      "Whether the step was previewed. It is false if its capability has no preview, or if earlier steps must run first.",
  }),
  inputKnown: z.boolean().openapi({ description: "Whether all of its input is known." }),
  dependsOn: z
    .array(z.string())
    .openapi({ description: "Earlier steps that it depends on. Paraph previews it again after them." }),
  cost: z.int().openapi({ description: "In minor units." }),
  visibility: z.enum(["everyone", "approvers"]),
  headline: headlineSchema
    .optional()
    .openapi({ description: "What the step does, in one line. Missing if its input is not known yet." }),
});

export const previewSchema = z
  .object({
    changes: z.array(changeSchema),
    basis: anyJsonSchema.openapi({ description: "The state that the preview depends on." }),
    steps: z
      .array(stepPreviewSchema)
      .optional()
      .openapi({ description: "For a plan: its steps, with their share of the changes." }),
  })
  .openapi("Preview");

/** A preview, or null if the capability has none or this reader may not see it. */
export const nullablePreviewSchema = z.union([previewSchema, z.null()]);

export const purposeSchema = z
  .object({ text: z.string(), checked: z.literal(false) })
  .openapi({ description: "The requester's words, unverified." });

export const compressedStateSchema = z
  .object({ text: z.string(), checked: z.literal(false) })
  .openapi({ description: "The requester's own summary of its state, unverified." });

const awaitedKinds = [
  ...(["approval", "check", "lock", "retry", "thaw", "agent", "steps", "performing", "preview"] as const),
  "stuck",
] as const;

export const waitingSchema = z
  .object({
    for: z.enum(awaitedKinds),
    until: timeSchema.optional(),
    approval: z
      .object({
        id: approvalIdSchema,
        expiresAt: timeSchema,
        digest: sha256Schema,
        fingerprint: z.string().openapi({ example: "1f0c88ab04d29e71" }),
        guards: z.array(guardSchema),
      })
      .optional(),
    how: z.string().openapi({ description: "How to wait, in one sentence." }),
  })
  .openapi("Waiting", { description: "What an open call waits for." });

export const resolutionFindings = ["happened", "not-happened"] as const;

const resolutionSchema = z
  .object({
    finding: z.enum(resolutionFindings),
    by: z.string(),
    how: z.enum(["person", "probe"]),
    at: timeSchema,
    reason: anyJsonSchema.optional(),
  })
  .openapi("Resolution", { description: "The resolution of an unknown outcome." });

const erasedSchema = z
  .object({
    at: timeSchema,
    by: z.string().openapi({ description: "The database login of the operator." }),
    reason: z.string(),
    payloads: z.array(z.enum(payloadNames)).openapi({ description: "The names of the erased payloads." }),
  })
  .openapi("Erasure", { description: "When and why an operator erased the payloads of the call." });

export const parentSchema = z
  .object({ call: callIdSchema, step: z.string() })
  .openapi({ description: "The plan, or other composite, that this call is a step of." });

export const correlationSchema = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "write it as 32 hexadecimal digits")
  .openapi({
    description:
      "The correlation id: the trace id of the `traceparent` header. Calls whose requests carry the same trace share it.",
    example: "4bf92f3577b34da6a3ce929d0e0e4736",
  });

const undoneBySchema = callIdSchema.openapi({
  description: "The call that undoes this one, unless it ended without an effect.",
});

export const callSchema = z
  .object({
    call: callIdSchema,
    headline: headlineSchema,
    capability: capabilityNameSchema,
    version: z.int(),
    contractDigest: sha256Schema,
    state: z.enum(callStates),
    principal: requesterSchema,
    performer: performerSchema.optional(),
    key: z.string(),
    session: z.object({ session: z.string().optional(), thread: z.string().optional() }),
    correlation: correlationSchema.optional(),
    createdAt: timeSchema,
    closedAt: timeSchema.optional(),
    outcome: outcomeSchema.optional(),
    waiting: waitingSchema.optional(),
    input: anyJsonSchema.optional().openapi({ description: "Missing after an erasure." }),
    purpose: purposeSchema.optional(),
    compressedState: compressedStateSchema.optional(),
    words: intentRecordSchema.optional().openapi({
      description: "The words from which Paraph understood the plan. Missing if they are masked.",
    }),
    previewed: z.boolean(),
    preview: nullablePreviewSchema,
    output: anyJsonSchema.optional(),
    error: anyJsonSchema.optional().openapi({ description: "Error message of the capability." }),
    retryable: z.boolean().optional().openapi({
      description:
        "For a failed call: whether the same request may succeed later. False if the cause is permanent, and for plans.",
    }),
    reason: anyJsonSchema.optional().openapi({ description: "Reason of the last vote." }),
    refusal: z
      .object({ policies: z.array(z.string()), sentence: z.string() })
      .optional()
      .openapi({
        description:
          "The policies that refused it, and the reason. An empty list means that no policy permits it.",
      }),
    answer: anyJsonSchema
      .optional()
      .openapi({ description: "The answer of a person, if the capability asks for one." }),
    instructions: z
      .string()
      .optional()
      .openapi({ description: "Instructions for a new call, if an approver returned this one." }),
    supersedes: callIdSchema.optional().openapi({ description: "The call that this one replaced." }),
    successor: callIdSchema
      .optional()
      .openapi({ description: "The call that replaced this one. Follow that call instead." }),
    editedBy: z.string().optional().openapi({ description: "The person who edited it." }),
    parent: parentSchema.optional(),
    resolution: resolutionSchema.optional(),
    erased: erasedSchema.optional(),
    joinedDuplicate: z.literal(true).optional().openapi({
      description: "True if the same call was already open in this session. The response is that call.",
    }),
    undo: anyJsonSchema
      .optional()
      .openapi({ description: "The call that would undo this one, if its capability offers an undo." }),
    undoneBy: undoneBySchema.optional(),
    approval: z.object({ id: approvalIdSchema, round: z.int(), status: z.string() }).optional(),
    attempts: z.array(z.object({ number: z.int(), at: timeSchema, ended: z.string().optional() })),
    masked: z.array(z.string()).openapi({
      description: "Sensitive fields that this reader sees as `•••`.",
      example: ["payment"],
    }),
    links: z.object({
      self: z.string(),
      events: z.string(),
      receipt: z.string().optional(),
      plan: z.string().optional(),
      retry: z.string().optional().openapi({
        description:
          "Present if the call is stuck, or if its outcome is unknown and a retry is possible once the finding `not-happened` is recorded.",
      }),
      undo: z.string().optional().openapi({
        description:
          "Present if you can request the undo. Missing if parts of it are hidden from you, or if there is one.",
      }),
    }),
  })
  .openapi("Call", { example: openCallExample });

export type CallView = z.input<typeof callSchema>;
export type WaitingView = z.input<typeof waitingSchema>;

const stuckSchema = z.string().openapi({
  description: "Code of the repeated failure. The call does not continue until a person retries it.",
  example: "unexpected-error",
});

export const callSummarySchema = z
  .object({
    call: callIdSchema,
    headline: headlineSchema,
    capability: capabilityNameSchema,
    version: z.int(),
    principal: z.string(),
    state: z.enum(callStates),
    outcome: outcomeSchema.optional(),
    createdAt: timeSchema,
    closedAt: timeSchema.optional(),
    finding: z
      .enum(resolutionFindings)
      .optional()
      .openapi({ description: "The resolution of an unknown outcome." }),
    undoneBy: undoneBySchema.optional(),
    undoOutcome: z
      .enum(outcomeKinds)
      .optional()
      .openapi({ description: "How the undo ended. Missing while it is open." }),
    stuck: stuckSchema.optional(),
    parent: parentSchema.optional(),
  })
  .openapi("CallSummary");

export const callEventSchema = z
  .object({
    specversion: z.literal("1.0"),
    id: z.string().openapi({ example: "call_01k2m4x7p9.3" }),
    source: z.string().openapi({ example: "/v1/calls/call_01k2m4x7p9" }),
    type: z.string().openapi({ example: "dev.paraph.call.asked.v1" }),
    time: timeSchema,
    subject: z.string().openapi({ example: "call_01k2m4x7p9" }),
    datacontenttype: z.literal("application/json"),
    data: jsonObjectSchema.openapi({ description: "Ids, numbers, codes and commitments; never a payload." }),
  })
  .openapi("CallEvent", { description: "One event of a call, as CloudEvents 1.0." });
