import { z } from "@hono/zod-openapi";
import { jsonObjectSchema, timeSchema } from "./common.ts";

export const observationSchema = z
  .object({
    seq: z.int().openapi({ description: "Its number among the tenant's observations." }),
    adapter: z.string(),
    id: z
      .string()
      .openapi({ description: "Id from the external system. Paraph keeps one observation per id." }),
    kind: z.string(),
    subject: z
      .string()
      .openapi({ description: "The thing that it is about, as the external system names it." }),
    at: timeSchema
      .optional()
      .openapi({ description: "Time in the external system, if the system reports one." }),
    observedAt: timeSchema,
    data: jsonObjectSchema.optional().openapi({ description: "Missing if it was too large to keep." }),
  })
  .openapi("Observation", {
    description: "Something that an adapter noticed in an external system.",
    example: {
      seq: 42,
      adapter: "files",
      id: "3f1c…",
      kind: "file.changed",
      subject: "notes/today.txt",
      at: "2026-03-01T09:30:00.000Z",
      observedAt: "2026-03-01T09:30:12.000Z",
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
    data: observationSchema.omit({ observedAt: true }),
  })
  .openapi("ObservationEvent", { description: "An observation, as CloudEvents 1.0." });

export const pollSchema = z
  .object({
    adapter: z.string(),
    polledAt: timeSchema.optional().openapi({ description: "Time of the last complete poll." }),
    nextAt: timeSchema,
    failures: z.int().openapi({ description: "Number of failed polls in a row." }),
    code: z.string().optional().openapi({ description: "Code of the last failure." }),
  })
  .openapi("Poll");

export const observationFilters = {
  adapter: z.string().min(1).max(64).optional(),
  kind: z.string().min(1).max(255).optional(),
  subject: z.string().min(1).max(1_024).optional(),
};
