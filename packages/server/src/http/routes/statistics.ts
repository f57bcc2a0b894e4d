import { createRoute, z } from "@hono/zod-openapi";
import { hasScope, outcomeKinds } from "@paraph/core";
import { type Parts, router } from "../context.ts";
import { scopeMissing } from "../middleware/authorization.ts";
import { callId, capabilityName, json, limit, needs, problemResponses, time } from "../schemas/common.ts";
import { iso } from "../views/call-view.ts";
import { defined } from "../views/omit-undefined.ts";

const group = z
  .object({
    capability: z.string().optional(),
    principal: z.string().optional(),
    calls: z.int(),
    outcomes: z.partialRecord(z.enum(outcomeKinds), z.int()),
    successRate: z
      .number()
      .optional()
      .openapi({ description: "Of what was performed: succeeded, failed or unknown. From 0 to 1." }),
    actingMs: z.object({ p50: z.int(), p95: z.int() }).optional().openapi({
      description:
        "All attempts of a call together, as its receipt says, to within 6 %. The waits between them do not count.",
    }),
    meanMs: z.int().openapi({ description: "From acceptance to the end, on average." }),
    retries: z.int(),
    spent: z.number().openapi({ description: "In minor units." }),
    tokens: z
      .object({ input: z.number(), output: z.number() })
      .openapi({ description: "Of language models, as far as capabilities tell." }),
  })
  .openapi("CallStatistics");

const error = z
  .object({
    call: callId,
    capability: z.string(),
    principal: z.string(),
    outcome: z.enum(outcomeKinds),
    code: z.string(),
    at: time,
  })
  .openapi("CallError");

const getStatistics = createRoute({
  operationId: "getStatistics",
  method: "get",
  path: "/v1/statistics",
  tags: ["Activity"],
  summary: "How calls ended: how often well, how fast, how many retries, what they cost, and the last errors",
  description:
    "Of the last seven days unless `since` says otherwise, thirty at most. People see all of the tenant with the scope `read`, anyone else their own calls. Those with the most calls come first; errors are codes, never what was said.",
  security: needs("read", "calls"),
  request: {
    query: z.object({
      capability: capabilityName.optional(),
      principal: z.string().min(1).max(255).optional(),
      since: time.optional(),
      by: z.enum(["capability", "principal", "both"]).default("capability"),
      limit,
    }),
  },
  responses: {
    200: json(
      z.object({ since: time, statistics: z.array(group), errors: z.array(error) }),
      "What became of the calls that ended since then.",
    ),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing"),
  },
});

export const statisticsOperations = [getStatistics];

export function statisticsRoutes({ service }: Parts) {
  return router().openapi(getStatistics, async (c) => {
    const { since: given, ...filter } = c.req.valid("query");
    const caller = c.get("caller");
    // [TRUST 21] Without `read`, a key shows its principal's own calls and nobody else's.
    const principal = hasScope(caller, "read") ? filter.principal : caller.principal.id;
    if (filter.principal !== undefined && filter.principal !== principal) throw scopeMissing(["read"]);
    const { since, groups, errors } = await service.statistics(caller.principal, {
      ...defined({ ...filter, principal }),
      ...(given !== undefined && { since: Date.parse(given) }),
    });
    return c.json(
      {
        since: iso(since),
        statistics: groups.map((one) => ({ ...one, outcomes: { ...one.outcomes } })),
        errors: errors.map(({ at, ...rest }) => ({ ...rest, at: iso(at) })),
      },
      200,
    );
  });
}
