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

const metricsz = createRoute({
  operationId: "metrics",
  method: "get",
  path: "/metrics",
  tags: ["Operation"],
  summary: "Measurements as Prometheus text",
  responses: {
    200: { description: "The measurements.", content: { "text/plain": { schema: z.string() } } },
    ...problemResponses("not-found"),
  },
});

export const healthOperations = [healthz, readyz, metricsz];

export function healthRoutes({ service, metrics, stopping }: Parts) {
  const routes = router()
    .openapi(healthz, (c) => c.json({ status: "up" as const }, 200))
    .openapi(readyz, async (c) => {
      const parts = stopping.aborted
        ? { server: false }
        : await service.health().catch(() => ({ health: false }));
      const failing = Object.keys(parts).filter((part) => !(parts as Record<string, boolean>)[part]);
      if (failing.length > 0) {
        throw new Problem("not-ready", `Not answering: ${failing.join(", ")}.`, {
          ...{ extra: { failing }, headers: { "retry-after": "2" } },
        });
      }
      return c.json({ status: "ready" as const, parts }, 200);
    });
  if (!metrics) return routes;
  return routes.openapi(metricsz, async (c) =>
    c.text(await metrics(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
  );
}
