import { createRoute, z } from "@hono/zod-openapi";
import { outcomeKinds } from "@paraph/core";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireAuditor } from "../middleware/require-auditor.ts";
import { requireAnyScope, timeSchema, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { toIso } from "../views/call-view.ts";

const oldestSchema = z
  .int()
  .optional()
  .openapi({ description: "Age of the oldest one in milliseconds. Missing if there is none." });

const loadSchema = z
  .object({
    at: timeSchema,
    outcomes: z.object({
      seconds: z.int(),
      counts: z.partialRecord(z.enum(outcomeKinds), z.int()),
    }),
    approvals: z.object({
      count: z.int(),
      oldestMs: oldestSchema,
      byAge: z
        .array(z.object({ from: z.int(), to: z.int().optional(), count: z.int() }))
        .openapi({ description: "Open approvals by age in minutes. The last range has no end." }),
    }),
    due: z
      .object({ count: z.int(), oldestMs: oldestSchema })
      .openapi({ description: "Calls that a worker should have continued by now." }),
    stuck: z.int().openapi({ description: "Calls that wait for a retry by a person." }),
    unknown: z.int().openapi({ description: "Unresolved calls with an unknown outcome." }),
    locksHeld: z.int(),
    adapters: z.object({
      seconds: z.int(),
      slowest: z
        .array(z.object({ adapter: z.string(), calls: z.int(), p50Ms: z.int(), p95Ms: z.int() }))
        .openapi({ description: "Adapters that performed calls, the slowest first, accurate to 6 %." }),
    }),
  })
  .openapi("Load");

const getLoad = createRoute({
  operationId: "getLoad",
  method: "get",
  path: "/v1/load",
  tags: ["Activity"],
  summary: "Get the current load: recent outcomes, open approvals, due calls, locks and slow adapters",
  description:
    "For administrators and auditors. Covers all of the tenant. Each number of waiting calls, approvals and locks stops at 10,000.",
  security: requireAnyScope("read"),
  responses: {
    200: toJsonResponse(loadSchema, "The load at this time."),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing", "database-unavailable"),
  },
});

export const loadOperations = [getLoad];

export function createLoadRoutes({ service }: RouteDeps) {
  return createRouter().openapi(getLoad, async (c) => {
    const { at, outcomes, approvals, adapters, ...rest } = await service.readLoad(
      requireAuditor(c.get("principal")),
    );
    return c.json(
      {
        at: toIso(at),
        ...rest,
        outcomes: { ...outcomes, counts: { ...outcomes.counts } },
        approvals: { ...approvals, byAge: [...approvals.byAge] },
        adapters: { ...adapters, slowest: [...adapters.slowest] },
      },
      200,
    );
  });
}
