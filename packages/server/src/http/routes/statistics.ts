import { createRoute, z } from "@hono/zod-openapi";
import { hasScope } from "@paraph/core";
import { createRouter, type RouteDeps } from "../context.ts";
import { scopeMissing } from "../middleware/authorization.ts";
import {
  capabilityNameSchema,
  pageLimitSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
  visibleAsciiSchema,
} from "../schemas/common.ts";
import { callErrorSchema, statisticsSchema } from "../schemas/statistics.ts";
import { toIso } from "../views/call-view.ts";
import { omitUndefined } from "../views/omit-undefined.ts";

const getStatistics = createRoute({
  operationId: "getStatistics",
  method: "get",
  path: "/v1/statistics",
  tags: ["Activity"],
  summary: "Get statistics of closed calls: success, duration, retries, cost and last errors",
  description:
    "Covers the last seven days by default, and at most thirty (`since`). People with the scope `read` see all of the tenant. Other principals see their own calls. The entries with the most calls come first; hours (`by=hour`) and days (`by=day`) come latest first, without those in which no call closed. Errors are codes and never contain messages.",
  security: requireAnyScope("read", "calls"),
  request: {
    query: z.object({
      capability: capabilityNameSchema.optional(),
      principal: z.string().min(1).max(255).optional(),
      session: visibleAsciiSchema.optional().openapi({ description: "Only calls of this session." }),
      since: timeSchema.optional(),
      by: z.enum(["capability", "adapter", "principal", "both", "hour", "day"]).default("capability"),
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
        statistics: groups.map(({ hour, day, codes, ...one }) => ({
          ...one,
          codes: codes.map(({ lastAt, ...rest }) => ({ ...rest, lastAt: toIso(lastAt) })),
          ...(hour !== undefined && { hour: toIso(hour) }),
          ...(day !== undefined && { day: toIso(day) }),
          outcomes: { ...one.outcomes },
        })),
        errors: errors.map(({ at, ...rest }) => ({ ...rest, at: toIso(at) })),
      },
      200,
    );
  });
}
