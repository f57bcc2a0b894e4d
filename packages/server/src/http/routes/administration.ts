import { createRoute, z } from "@hono/zod-openapi";
import { type Grant, seesEverything } from "@paraph/core";
import type { FreezeView } from "../../services/paraph-service.ts";
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
  summary: "List freezes",
  description:
    "For people, because a freeze explains why calls wait. To freeze or thaw, an administrator calls `admin.freeze` or `admin.thaw`.",
  security: requireAnyScope("read"),
  responses: {
    200: toJsonResponse(z.object({ freezes: z.array(freezeSchema) }), "The freezes in force, oldest first."),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing"),
  },
});

const listGrants = createRoute({
  operationId: "listGrants",
  method: "get",
  path: "/v1/grants",
  tags: ["Administration"],
  summary: "List grants",
  description:
    "For administrators and auditors. To create or revoke a grant, call `admin.grant` or `admin.grant_revoke`.",
  security: requireAnyScope("read"),
  responses: {
    200: toJsonResponse(z.object({ grants: z.array(grantSchema) }), "The grants in force, by expiry."),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing"),
  },
});

export const administrationOperations = [listFreezes, listGrants];

export function createAdministrationRoutes({ service }: RouteDeps) {
  return createRouter()
    .openapi(listFreezes, async (c) => {
      const reader = c.get("principal");
      const found = await service.listFreezes(seesEverything(reader) ? reader : requireAuditor(reader));
      return c.json({ freezes: found.map(toFreezeView) }, 200);
    })
    .openapi(listGrants, async (c) => {
      const found = await service.listGrants(requireAuditor(c.get("principal")));
      return c.json({ grants: found.map(toGrantView) }, 200);
    });
}

function toFreezeView({ id, kind, subject, by, at, disabled }: FreezeView): z.input<typeof freezeSchema> {
  return { freeze: id, kind, subject, by, at: toIso(at), ...(disabled && { disabled }) };
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
