import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireAuditor } from "../middleware/require-auditor.ts";
import { HttpProblem } from "../problem.ts";
import { adapterSchema, pendingDefinitionSchema } from "../schemas/adapter.ts";
import { createIdSchema, requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";

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

const listPendingDefinitions = createRoute({
  operationId: "listPendingDefinitions",
  method: "get",
  path: "/v1/adapters/{adapter}/definitions",
  tags: ["Capabilities"],
  summary: "List definitions of an MCP server that wait for approval",
  description:
    "Definitions that the server changed or added since people approved them. Their capabilities are unavailable. `admin.mcp_approve` approves them. For members of `paraph:admins` and `paraph:auditors`.",
  security: requireAnyScope("read"),
  request: { params: z.object({ adapter: createIdSchema("github") }) },
  responses: {
    200: toJsonResponse(
      z.object({
        definitions: z.array(pendingDefinitionSchema),
        approvable: z.boolean().openapi({
          description:
            "Whether `admin.mcp_approve` can approve them. If other tenants use the server too, an operator approves them with `paraph mcp pins --in-file`.",
        }),
      }),
      "The definitions. The list is empty for adapters that are no MCP servers.",
    ),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing", "not-found"),
  },
});

export const adapterOperations = [listAdapters, listPendingDefinitions];

export function createAdapterRoutes({ service }: RouteDeps) {
  return createRouter()
    .openapi(listAdapters, async (c) =>
      c.json(
        { adapters: [...(await service.listAdapters(c.var.caller.principal.tenant, c.req.raw.signal))] },
        200,
      ),
    )
    .openapi(listPendingDefinitions, async (c) => {
      const { tenant } = requireAuditor(c.get("principal"));
      const found = await service.listPendingDefinitions(tenant, c.req.valid("param").adapter);
      if (!found) throw new HttpProblem("not-found", "No adapter of this name is configured here.");
      const { definitions, approvable } = found;
      return c.json(
        { approvable, definitions: definitions.map((one) => ({ ...one, suspicions: [...one.suspicions] })) },
        200,
      );
    });
}
