import { z } from "@hono/zod-openapi";
import { outcomeKinds } from "@paraph/core";
import { callIdSchema, timeSchema } from "./common.ts";

export const statisticsSchema = z
  .object({
    capability: z.string().optional(),
    adapter: z.string().optional(),
    principal: z.string().optional(),
    hour: timeSchema
      .optional()
      .openapi({ description: "Start of the hour, in UTC, in which the calls closed." }),
    day: timeSchema
      .optional()
      .openapi({ description: "Start of the day, in UTC, in which the calls closed." }),
    calls: z.int(),
    outcomes: z.partialRecord(z.enum(outcomeKinds), z.int()),
    successRate: z.number().optional().openapi({
      description: "Share of performed calls (succeeded, failed or unknown) that succeeded, from 0 to 1.",
    }),
    actingMs: z.object({ p50: z.int(), p95: z.int() }).optional().openapi({
      description:
        "Total time of all attempts of a call, as in its receipt, accurate to 6 %. Excludes the waits between attempts.",
    }),
    meanMs: z.int().openapi({ description: "Average time from acceptance to close." }),
    retries: z.int(),
    spent: z.number().openapi({ description: "In minor units." }),
    tokens: z
      .object({ input: z.number(), output: z.number() })
      .openapi({ description: "Tokens of language models, if capabilities report them." }),
    codes: z
      .array(
        z.object({ outcome: z.enum(outcomeKinds), code: z.string(), calls: z.int(), lastAt: timeSchema }),
      )
      .openapi({ description: "Why calls did not succeed: the five most frequent codes." }),
  })
  .openapi("CallStatistics");

export const callErrorSchema = z
  .object({
    call: callIdSchema,
    capability: z.string(),
    principal: z.string(),
    outcome: z.enum(outcomeKinds),
    code: z.string(),
    at: timeSchema,
  })
  .openapi("CallError");
