import { createRoute, z } from "@hono/zod-openapi";
import { hasScope, outcomeKinds } from "@paraph/core";
import { createRouter, type RouteDeps } from "../context.ts";
import { scopeMissing } from "../middleware/authorization.ts";
import {
  callIdSchema,
  capabilityNameSchema,
  pageLimitSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toIso } from "../views/call-view.ts";
import { omitUndefined } from "../views/omit-undefined.ts";

const statisticsSchema = z
  .object({
    capability: z.string().optional(),
    principal: z.string().optional(),
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
  })
  .openapi("CallStatistics");

const callErrorSchema = z
  .object({
    call: callIdSchema,
    capability: z.string(),
    principal: z.string(),
    outcome: z.enum(outcomeKinds),
    code: z.string(),
    at: timeSchema,
  })
  .openapi("CallError");

const getStatistics = createRoute({
  operationId: "getStatistics",
  method: "get",
  path: "/v1/statistics",
  tags: ["Activity"],
  summary: "Get statistics of closed calls: success, duration, retries, cost and last errors",
  description:
    "Covers the last seven days by default, and at most thirty (`since`). People with the scope `read` see all of the tenant. Other principals see their own calls. The entries with the most calls come first. Errors are codes and never contain messages.",
  security: requireAnyScope("read", "calls"),
  request: {
    query: z.object({
      capability: capabilityNameSchema.optional(),
      principal: z.string().min(1).max(255).optional(),
      since: timeSchema.optional(),
      by: z.enum(["capability", "principal", "both"]).default("capability"),
      limit: pageLimitSchema,
    }),
  },
  responses: {
    200: toJsonResponse(
      z.object({
        since: timeSchema,
        statistics: z.array(statisticsSchema),
        errors: z.array(callErrorSchema),
      }),
      "Statistics of the calls that closed since then.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

export const statisticsOperations = [getStatistics];

export function createStatisticsRoutes({ service }: RouteDeps) {
  return createRouter().openapi(getStatistics, async (c) => {
    const { since: given, ...filter } = c.req.valid("query");
    const caller = c.get("caller");
    // [TRUST 21] A key without the scope `read` gets statistics only about its own principal's calls.
    const principal = hasScope(caller, "read") ? filter.principal : caller.principal.id;
    if (filter.principal !== undefined && filter.principal !== principal) throw scopeMissing(["read"]);
    const { since, groups, errors } = await service.readStatistics(caller.principal, {
      ...omitUndefined({ ...filter, principal }),
      ...(given !== undefined && { since: Date.parse(given) }),
    });
    return c.json(
      {
        since: toIso(since),
        statistics: groups.map((one) => ({ ...one, outcomes: { ...one.outcomes } })),
        errors: errors.map(({ at, ...rest }) => ({ ...rest, at: toIso(at) })),
      },
      200,
    );
  });
}
