import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";

const adapterSchema = z
  .object({
    name: z.string().openapi({ example: "repo" }),
    kind: z.string().openapi({ example: "git" }),
    state: z.enum(["ready", "degraded", "unavailable"]).openapi({
      description:
        "`degraded`: the adapter is open, but its external system does not answer. `unavailable`: the adapter could not be opened, so its capabilities cannot be called.",
    }),
    code: z.string().optional(),
    message: z.string().optional().openapi({ description: "The problem, and how to fix it." }),
    capabilities: z.int(),
    digest: z.string().openapi({ description: "Digest of the contracts of all its capabilities." }),
  })
  .openapi("Adapter");

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
