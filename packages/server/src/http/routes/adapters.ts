import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, type RouteDeps } from "../context.ts";
import { adapterSchema } from "../schemas/adapter.ts";
import { requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";

const listAdapters = createRoute({
  operationId: "listAdapters",
  method: "get",
  path: "/v1/adapters",
  tags: ["Capabilities"],
  summary: "List adapters and their health",
  description:
    "Paraph probes each adapter now. An adapter that does not answer within five seconds is `degraded`.",
  security: requireAnyScope("read", "calls"),
  responses: {
    200: toJsonResponse(
      z.object({ adapters: z.array(adapterSchema) }),
      "Every adapter of the configuration.",
    ),
    ...toProblemResponses("not-authenticated", "scope-missing"),
  },
});

export const adapterOperations = [listAdapters];

export function createAdapterRoutes({ service }: RouteDeps) {
  return createRouter().openapi(listAdapters, async (c) =>
    c.json(
      { adapters: [...(await service.listAdapters(c.var.caller.principal.tenant, c.req.raw.signal))] },
      200,
    ),
  );
}
