import { z } from "@hono/zod-openapi";
import { bodyProblems, visibleAsciiSchema } from "./common.ts";

export const preferSchema = z.string().optional().openapi({
  description: "`wait=N`: respond when the call is closed, or after N seconds (0 to 60).",
  example: "wait=30",
});

const appliedSchema = z
  .string()
  .optional()
  .openapi({ description: "The wait that was applied.", example: "wait=30" });
export const waitHeaders = z.object({ "Preference-Applied": appliedSchema });
export const callHeaders = waitHeaders.extend({
  Location: z.string().openapi({ description: "URL of the call.", example: "/v1/calls/call_01k2m4x7p9" }),
  "Idempotent-Replay": z
    .literal("true")
    .optional()
    .openapi({ description: "The idempotency key was used before. This is its call." }),
});

export const callRequestHeaders = z.object({
  "idempotency-key": visibleAsciiSchema.optional().openapi({
    description:
      "Idempotency key. A repeated request with the same key returns the same call, which happens once.",
    example: "refund-lamp-81",
  }),
  prefer: preferSchema,
  traceparent: z.string().optional().openapi({ description: "W3C trace context, kept with the call." }),
});

/** The problems that can keep a request from becoming a call. */
export const callRequestProblems = [
  ...bodyProblems,
  "parameter-invalid",
  "capability-unknown",
  "capability-unavailable",
  "key-reused",
  "key-reserved",
  "input-invalid",
  "frozen",
  "limit-reached",
  "policy-unsettled",
] as const;
