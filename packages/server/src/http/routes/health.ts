import { createRoute, z } from "@hono/zod-openapi";
import { type Parts, router } from "../context.ts";
import { Problem } from "../problem.ts";
import { json, problemResponses } from "../schemas/common.ts";

const healthz = createRoute({
  operationId: "healthz",
  method: "get",
  path: "/healthz",
  tags: ["Operation"],
  summary: "Whether the process is up",
  responses: { 200: json(z.object({ status: z.literal("up") }), "It is."), ...problemResponses() },
});

const readyz = createRoute({
  operationId: "readyz",
  method: "get",
  path: "/readyz",
  tags: ["Operation"],
  summary: "Whether everything it needs answers",
  responses: {
    200: json(
      z.object({ status: z.literal("ready"), parts: z.record(z.string(), z.boolean()) }),
      "Every part answers.",
    ),
    ...problemResponses("not-ready"),
  },
});

export const healthOperations = [healthz, readyz];

export function healthRoutes({ service, stopping }: Parts) {
  return router()
    .openapi(healthz, (c) => c.json({ status: "up" as const }, 200))
    .openapi(readyz, async (c) => {
      const parts = stopping.aborted
        ? { server: false }
        : await service.health().catch(() => ({ health: false }));
      const failing = Object.keys(parts).filter((part) => !(parts as Record<string, boolean>)[part]);
      if (failing.length > 0) {
        throw new Problem("not-ready", `Not answering: ${failing.join(", ")}.`, {
          extra: { failing },
          headers: { "retry-after": "2" },
        });
      }
      return c.json({ status: "ready" as const, parts }, 200);
    });
}
