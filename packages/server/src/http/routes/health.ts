import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, type RouteDeps } from "../context.ts";
import { HttpProblem } from "../problem.ts";
import { toJsonResponse, toProblemResponses } from "../schemas/common.ts";

const healthz = createRoute({
  operationId: "healthz",
  method: "get",
  path: "/healthz",
  tags: ["Operation"],
  summary: "Check whether the process runs",
  responses: {
    200: toJsonResponse(z.object({ status: z.literal("up") }), "The process runs."),
    ...toProblemResponses(),
  },
});

const readyz = createRoute({
  operationId: "readyz",
  method: "get",
  path: "/readyz",
  tags: ["Operation"],
  summary: "Check whether the server is ready",
  responses: {
    200: toJsonResponse(
      z.object({ status: z.literal("ready"), parts: z.record(z.string(), z.boolean()) }),
      "Every dependency answers.",
    ),
    ...toProblemResponses("not-ready"),
  },
});

export const healthOperations = [healthz, readyz];

export function createHealthRoutes({ service, stopping }: RouteDeps) {
  return createRouter()
    .openapi(healthz, (c) => c.json({ status: "up" as const }, 200))
    .openapi(readyz, async (c) => {
      const parts = stopping.aborted
        ? { server: false }
        : await service.checkHealth().catch(() => ({ health: false }));
      const failing = Object.keys(parts).filter((part) => !(parts as Record<string, boolean>)[part]);
      if (failing.length > 0) {
        throw new HttpProblem("not-ready", `Not answering: ${failing.join(", ")}.`, {
          extra: { failing },
          headers: { "retry-after": "2" },
        });
      }
      return c.json({ status: "ready" as const, parts }, 200);
    });
}
