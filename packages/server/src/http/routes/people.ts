import { createRoute, z } from "@hono/zod-openapi";
import { type Parts, router } from "../context.ts";
import { overseer } from "../middleware/require-auditor.ts";
import { json, limit, needs, problemResponses } from "../schemas/common.ts";
import { apiKey, group, me, principalSummary } from "../schemas/people.ts";
import { iso } from "../views/call-view.ts";
import { defined } from "../views/omit-undefined.ts";

const id = z.string().min(1).max(255);
const page = z.object({
  after: id.optional().openapi({ description: "Those after this one: `next` of the page before." }),
  limit,
});
const next = id.optional();

const getMe = createRoute({
  operationId: "getMe",
  method: "get",
  path: "/v1/me",
  tags: ["People"],
  summary: "Who you are here, and how far your proof reaches",
  security: needs("calls", "read", "decide", "admin"),
  responses: { 200: json(me, "You."), ...problemResponses("not-authenticated", "identity-unavailable") },
});

const listPrincipals = createRoute({
  operationId: "listPrincipals",
  method: "get",
  path: "/v1/principals",
  tags: ["People"],
  summary: "People, agents and services",
  description: "For administrators and auditors.",
  security: needs("read"),
  request: { query: page },
  responses: {
    200: json(z.object({ principals: z.array(principalSummary), next }), "A page of principals, by id."),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

const listGroups = createRoute({
  operationId: "listGroups",
  method: "get",
  path: "/v1/groups",
  tags: ["People"],
  summary: "Groups and who is in them",
  description: "For administrators and auditors. Roles are groups whose names begin with `paraph:`.",
  security: needs("read"),
  request: { query: page },
  responses: {
    200: json(z.object({ groups: z.array(group), next }), "A page of groups, by name."),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

const listApiKeys = createRoute({
  operationId: "listApiKeys",
  method: "get",
  path: "/v1/api-keys",
  tags: ["People"],
  summary: "API keys: whose they are, how far they reach, when they were used",
  description:
    "For administrators and auditors. `/v1/keys` are others: the public ones that receipts verify with.",
  security: needs("read"),
  request: { query: page.extend({ principal: id.optional() }) },
  responses: {
    200: json(z.object({ keys: z.array(apiKey), next }), "A page of keys, by id."),
    ...problemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

export const peopleOperations = [getMe, listPrincipals, listGroups, listApiKeys];

export function peopleRoutes({ service }: Parts) {
  return router()
    .openapi(getMe, (c) => {
      const { principal, how, scopes, expiresAt } = c.get("caller");
      return c.json(
        {
          ...principal,
          groups: [...(principal.groups ?? [])],
          how,
          ...(scopes && { scopes: [...scopes] }),
          ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
        },
        200,
      );
    })
    .openapi(listPrincipals, async (c) => {
      const wanted = c.req.valid("query");
      const found = await service.principals(overseer(c.get("principal")), defined(wanted));
      const principals = found.map(({ createdAt, disabledAt, groups, ...rest }) => ({
        ...rest,
        groups: [...groups],
        createdAt: iso(createdAt),
        ...(disabledAt !== undefined && { disabledAt: iso(disabledAt) }),
      }));
      return c.json({ principals, ...nextOf(found, wanted.limit, (last) => last.id) }, 200);
    })
    .openapi(listGroups, async (c) => {
      const wanted = c.req.valid("query");
      const found = await service.groups(overseer(c.get("principal")), defined(wanted));
      const groups = found.map(({ group, members }) => ({ group, members: [...members] }));
      return c.json({ groups, ...nextOf(found, wanted.limit, (last) => last.group) }, 200);
    })
    .openapi(listApiKeys, async (c) => {
      const wanted = c.req.valid("query");
      const found = await service.apiKeys(overseer(c.get("principal")), defined(wanted));
      const keys = found.map(({ scopes, createdAt, expiresAt, revokedAt, lastUsed, ...rest }) => ({
        ...rest,
        ...(scopes && { scopes: [...scopes] }),
        createdAt: iso(createdAt),
        ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
        ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
        ...(lastUsed !== undefined && { lastUsed: iso(lastUsed) }),
      }));
      return c.json({ keys, ...nextOf(found, wanted.limit, (last) => last.key) }, 200);
    });
}

function nextOf<T>(found: readonly T[], limit: number, id: (item: T) => string): { next?: string } {
  const last = found.at(-1);
  return found.length === limit && last !== undefined ? { next: id(last) } : {};
}
