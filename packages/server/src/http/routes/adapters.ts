import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";

const adapterSchema = z
  .object({
    name: z.string().openapi({ example: "repo" }),
    kind: z.string().openapi({ example: "git" }),
    state: z.enum(["ready", "degraded", "unavailable"]).openapi({
      description:
        "`degraded`: it is open and what it reaches for does not answer; `unavailable`: it could not be opened, nothing of it can be called.",
    }),
    code: z.string().optional(),
    message: z.string().optional().openapi({ description: "What is wrong, and what to do about it." }),
    capabilities: z.int(),
    digest: z.string().openapi({ description: "Over the contracts of everything it offers." }),
  })
  .openapi("Adapter");

const listAdapters = createRoute({
  operationId: "listAdapters",
  method: "get",
  path: "/v1/adapters",
  tags: ["Capabilities"],
  summary: "Where capabilities come from, and how those sources are",
  description: "Each is asked now; one that does not answer within five seconds is `degraded`.",
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
