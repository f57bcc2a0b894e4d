import { createRoute, z } from "@hono/zod-openapi";
import type { Freeze, Grant } from "@paraph/core";
import { type Parts, router } from "../context.ts";
import { overseer } from "../middleware/require-auditor.ts";
import { freeze, grant } from "../schemas/administration.ts";
import { json, needs, problemResponses } from "../schemas/common.ts";
import { iso } from "../views/call-view.ts";

const listFreezes = createRoute({
  operationId: "listFreezes",
  method: "get",
  path: "/v1/freezes",
  tags: ["Administration"],
  summary: "What is frozen",
  description:
    "For administrators and auditors. To freeze and to thaw are calls: `admin.freeze`, `admin.thaw`.",
  security: needs("read"),
  responses: {
    200: json(z.object({ freezes: z.array(freeze) }), "Those in force, the oldest first."),
    ...problemResponses("not-authenticated", "scope-missing", "role-missing"),
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
  security: needs("read"),
  responses: {
    200: json(z.object({ grants: z.array(grant) }), "Those in force, the soonest to end first."),
    ...problemResponses("not-authenticated", "scope-missing", "role-missing"),
  },
});

export const administrationOperations = [listFreezes, listGrants];

export function administrationRoutes({ service }: Parts) {
  return router()
    .openapi(listFreezes, async (c) => {
      const found = await service.freezes(overseer(c.get("principal")));
      return c.json({ freezes: found.map(freezeView) }, 200);
    })
    .openapi(listGrants, async (c) => {
      const found = await service.grants(overseer(c.get("principal")));
      return c.json({ grants: found.map(grantView) }, 200);
    });
}

function freezeView({ id, kind, subject, by, at }: Freeze): z.input<typeof freeze> {
  return { freeze: id, kind, subject, by, at: iso(at) };
}

function grantView({ id, expiresAt, destroy, breakGlass, ...rest }: Grant): z.input<typeof grant> {
  return {
    grant: id,
    capability: rest.capability,
    countLeft: rest.countLeft,
    expiresAt: iso(expiresAt),
    destroy: destroy === true,
    breakGlass: breakGlass === true,
    ...(rest.principal !== undefined && { principal: rest.principal }),
    ...(rest.amountLeft !== undefined && { amountLeft: rest.amountLeft }),
    bounds: rest.bounds as z.input<typeof grant>["bounds"],
    people: rest.people.map(({ by, groups }) => ({ by, groups: [...groups] })),
  };
}
