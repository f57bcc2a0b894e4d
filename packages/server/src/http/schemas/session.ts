import { z } from "@hono/zod-openapi";
import { callStates, outcomeKinds } from "@paraph/core";
import {
  approvalIdSchema,
  callIdSchema,
  capabilityNameSchema,
  sha256Schema,
  timeSchema,
  visibleAsciiSchema,
} from "./common.ts";

const countsSchema = z.record(z.string(), z.int());

const snapshotCallSchema = z.object({
  call: callIdSchema,
  headline: z.string(),
  capability: capabilityNameSchema,
  at: timeSchema,
  state: z.enum(callStates).optional().openapi({ description: "The state of an open call." }),
  outcome: z.enum(outcomeKinds).optional(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  said: z.string().optional().openapi({ description: "The reason or the instructions of a person." }),
  successor: callIdSchema.optional(),
  steps: countsSchema.optional().openapi({ description: "For a plan: the number of its steps by outcome." }),
});

const snapshotQuestionSchema = z.object({
  kind: z.enum(["approval", "answer", "comment", "unknown"]),
  call: callIdSchema,
  at: timeSchema,
  approval: approvalIdSchema.optional(),
  until: timeSchema.optional(),
  by: z.string().optional(),
  text: z.string(),
});

const snapshotObservationSchema = z.object({
  seq: z.int(),
  adapter: z.string(),
  kind: z.string(),
  subject: z.string(),
  at: timeSchema,
});

export const sessionSnapshotSchema = z
  .object({
    session: visibleAsciiSchema,
    version: sha256Schema,
    tokens: z.object({ limit: z.int(), estimate: z.int() }),
    compressedState: z
      .object({
        call: callIdSchema,
        text: z.string(),
        checked: z.literal(false),
        cut: z.int().optional().openapi({ description: "The number of characters cut from the end." }),
      })
      .optional()
      .openapi({
        description: "The newest state that the agent gave with a call. Its own words, unverified.",
      }),
    questions: z.array(snapshotQuestionSchema).openapi({ description: "Newest first." }),
    calls: z.array(snapshotCallSchema).openapi({ description: "Newest first." }),
    observations: z.array(snapshotObservationSchema).openapi({ description: "Newest first." }),
    folded: z
      .object({
        calls: countsSchema,
        questions: z.int(),
        observations: z.int(),
        hasOlder: z.boolean().openapi({ description: "Whether there are older calls that are not counted." }),
      })
      .openapi({ description: "What is left out, as counts." }),
  })
  .openapi("SessionSnapshot");
