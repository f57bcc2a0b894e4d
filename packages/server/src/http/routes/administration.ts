import { createRoute, z } from "@hono/zod-openapi";
import type { Freeze, Grant } from "@paraph/core";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireAuditor } from "../middleware/require-auditor.ts";
import { freezeSchema, grantSchema } from "../schemas/administration.ts";
import { requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import { toIso } from "../views/call-view.ts";

const listFreezes = createRoute({
  operationId: "listFreezes",
  method: "get",
  path: "/v1/freezes",
  tags: ["Administration"],
  summary: "What is frozen",
  description:
    "For administrators and auditors. To freeze and to thaw are calls: `admin.freeze`, `admin.thaw`.",
  security: requireAnyScope("read"),
  responses: {
    200: toJsonResponse(z.object({ freezes: z.array(freezeSchema) }), "Those in force, the oldest first."),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing"),
  },
});

const listGrants = createRoute({
  operationId: "listGrants",
  method: "get",
  path: "/v1/grants",
  tags: ["Administration"],
  summary: "Approvals given in advance",
  description:
    "For administrators and auditors. To give and to revoke one are calls: `admin.grant`, `admin.grant_revoke`.",
  security: requireAnyScope("read"),
  responses: {
    200: toJsonResponse(
      z.object({ grants: z.array(grantSchema) }),
      "Those in force, the soonest to end first.",
    ),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing"),
  },
});

export const administrationOperations = [listFreezes, listGrants];

export function createAdministrationRoutes({ service }: RouteDeps) {
  return createRouter()
    .openapi(listFreezes, async (c) => {
      const found = await service.listFreezes(requireAuditor(c.get("principal")));
      return c.json({ freezes: found.map(toFreezeView) }, 200);
    })
    .openapi(listGrants, async (c) => {
      const found = await service.listGrants(requireAuditor(c.get("principal")));
      return c.json({ grants: found.map(toGrantView) }, 200);
    });
}

function toFreezeView({ id, kind, subject, by, at }: Freeze): z.input<typeof freezeSchema> {
  return { freeze: id, kind, subject, by, at: toIso(at) };
}

function toGrantView({ id, expiresAt, destroy, breakGlass, ...rest }: Grant): z.input<typeof grantSchema> {
  return {
    grant: id,
    capability: rest.capability,
    countLeft: rest.countLeft,
    expiresAt: toIso(expiresAt),
    destroy: destroy === true,
    breakGlass: breakGlass === true,
    ...(rest.principal !== undefined && { principal: rest.principal }),
    ...(rest.amountLeft !== undefined && { amountLeft: rest.amountLeft }),
    bounds: rest.bounds as z.input<typeof grantSchema>["bounds"],
    people: rest.people.map(({ by, groups }) => ({ by, groups: [...groups] })),
  };
}
