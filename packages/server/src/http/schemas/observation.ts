import { z } from "@hono/zod-openapi";
import { jsonObjectSchema, timeSchema } from "./common.ts";

export const observationSchema = z
  .object({
    seq: z.int().openapi({ description: "Its number among the tenant's observations." }),
    adapter: z.string(),
    id: z.string().openapi({ description: "The outside's own name for it: seen twice, it is one." }),
    kind: z.string(),
    subject: z.string().openapi({ description: "What it happened to, as the outside names it." }),
    at: timeSchema
      .optional()
      .openapi({ description: "When it happened, by the outside's clock where it tells." }),
    seenAt: timeSchema,
    data: jsonObjectSchema.optional().openapi({ description: "Not given: it was too large to keep." }),
  })
  .openapi("Observation", {
    description: "Something an adapter perceived in the world.",
    example: {
      seq: 42,
      adapter: "files",
      id: "3f1c…",
      kind: "file.changed",
      subject: "notes/today.txt",
      at: "2026-03-01T09:30:00.000Z",
      seenAt: "2026-03-01T09:30:12.000Z",
      data: { bytes: 512 },
    },
  });

export const observationEventSchema = z
  .object({
    specversion: z.literal("1.0"),
    id: z.string().openapi({ example: "obs_acme_42" }),
    source: z.string().openapi({ example: "/v1/observations" }),
    type: z.literal("dev.paraph.observation.v1"),
    time: timeSchema,
    datacontenttype: z.literal("application/json"),
    data: observationSchema.omit({ seenAt: true }),
  })
  .openapi("ObservationEvent", { description: "Something an adapter perceived, as CloudEvents 1.0." });

export const pollSchema = z
  .object({
    adapter: z.string(),
    lookedAt: timeSchema.optional().openapi({ description: "When it last looked to the end." }),
    nextAt: timeSchema,
    failures: z.int().openapi({ description: "How often in a row looking has failed." }),
    code: z.string().optional().openapi({ description: "Why, the last time." }),
  })
  .openapi("Perception");

export const observationFilters = {
  adapter: z.string().min(1).max(64).optional(),
  kind: z.string().min(1).max(255).optional(),
  subject: z.string().min(1).max(1_024).optional(),
};
