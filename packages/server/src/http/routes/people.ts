import { createRoute, z } from "@hono/zod-openapi";
import type { PrincipalSummary } from "../../services/principals.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { requireAuditor } from "../middleware/require-auditor.ts";
import { HttpProblem } from "../problem.ts";
import { pageLimitSchema, requireAnyScope, toJsonResponse, toProblemResponses } from "../schemas/common.ts";
import {
  apiKeySchema,
  groupSchema,
  meSchema,
  principalDetailsSchema,
  principalSummarySchema,
} from "../schemas/people.ts";
import { toIso } from "../views/call-view.ts";
import { omitUndefined } from "../views/omit-undefined.ts";

const principalIdSchema = z.string().min(1).max(255);
const pageQuery = z.object({
  after: principalIdSchema
    .optional()
    .openapi({ description: "Only entries after this one. Use the `next` of the previous page." }),
  limit: pageLimitSchema,
});
const nextSchema = principalIdSchema.optional();

const getMe = createRoute({
  operationId: "getMe",
  method: "get",
  path: "/v1/me",
  tags: ["People"],
  summary: "Get your identity, groups and scopes",
  security: requireAnyScope("calls", "read", "decide", "admin"),
  responses: {
    200: toJsonResponse(meSchema, "You."),
    ...toProblemResponses("not-authenticated", "identity-unavailable"),
  },
});

const listPrincipals = createRoute({
  operationId: "listPrincipals",
  method: "get",
  path: "/v1/principals",
  tags: ["People"],
  summary: "List people, agents and services",
  description: "For administrators and auditors.",
  security: requireAnyScope("read"),
  request: {
    query: pageQuery.extend({
      q: z.string().min(1).max(255).optional().openapi({
        description: "A part of the id. Letter case does not matter.",
        example: "bot",
      }),
      kind: principalSummarySchema.shape.kind.optional(),
      owner: principalIdSchema.optional(),
      state: principalSummarySchema.shape.state.optional(),
    }),
  },
  responses: {
    200: toJsonResponse(
      z.object({ principals: z.array(principalSummarySchema), next: nextSchema }),
      "A page of principals, by id.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

const getPrincipal = createRoute({
  operationId: "getPrincipal",
  method: "get",
  path: "/v1/principals/{principal}",
  tags: ["People"],
  summary: "Get a principal with its sessions and the use of its limits",
  description: "For administrators and auditors. Its keys are at `GET /v1/api-keys?principal=`.",
  security: requireAnyScope("read"),
  request: { params: z.object({ principal: principalIdSchema }) },
  responses: {
    200: toJsonResponse(principalDetailsSchema, "The principal."),
    ...toProblemResponses("not-authenticated", "scope-missing", "role-missing", "not-found"),
  },
});

const listGroups = createRoute({
  operationId: "listGroups",
  method: "get",
  path: "/v1/groups",
  tags: ["People"],
  summary: "List groups and their members",
  description: "For administrators and auditors. Roles are groups whose names begin with `paraph:`.",
  security: requireAnyScope("read"),
  request: { query: pageQuery },
  responses: {
    200: toJsonResponse(
      z.object({ groups: z.array(groupSchema), next: nextSchema }),
      "A page of groups, by name.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

const listApiKeys = createRoute({
  operationId: "listApiKeys",
  method: "get",
  path: "/v1/api-keys",
  tags: ["People"],
  summary: "List API keys with their principal, scopes and last use",
  description:
    "For administrators and auditors. `/v1/keys` lists other keys: the public keys that verify receipts.",
  security: requireAnyScope("read"),
  request: { query: pageQuery.extend({ principal: principalIdSchema.optional() }) },
  responses: {
    200: toJsonResponse(
      z.object({ keys: z.array(apiKeySchema), next: nextSchema }),
      "A page of keys, by id.",
    ),
    ...toProblemResponses("parameter-invalid", "not-authenticated", "scope-missing", "role-missing"),
  },
});

export const peopleOperations = [getMe, listPrincipals, getPrincipal, listGroups, listApiKeys];

export function createPeopleRoutes({ service }: RouteDeps) {
  return createRouter()
    .openapi(getMe, (c) => {
      const { principal, how, scopes, expiresAt } = c.get("caller");
      return c.json(
        {
          ...principal,
          groups: [...(principal.groups ?? [])],
          how,
          ...(scopes && { scopes: [...scopes] }),
          ...(expiresAt !== undefined && { expiresAt: toIso(expiresAt) }),
        },
        200,
      );
    })
    .openapi(listPrincipals, async (c) => {
      const wanted = c.req.valid("query");
      const found = await service.principals.list(requireAuditor(c.get("principal")), omitUndefined(wanted));
      return c.json(
        {
          principals: found.map(toPrincipalView),
          ...toNextPage(found, wanted.limit, (last) => last.id),
        },
        200,
      );
    })
    .openapi(getPrincipal, async (c) => {
      const { principal } = c.req.valid("param");
      const found = await service.principals.find(requireAuditor(c.get("principal")), principal);
      if (!found)
        throw new HttpProblem(
          "not-found",
          "There is no principal with this id. `GET /v1/principals` lists them.",
        );
      const { sessions, limits, ...summary } = found;
      return c.json(
        {
          ...toPrincipalView(summary),
          sessions: sessions.map(({ seenAt, endsAt }) => ({ seenAt: toIso(seenAt), endsAt: toIso(endsAt) })),
          limits: limits.map(({ resetsAt, ...limit }) => ({
            ...limit,
            ...(resetsAt !== undefined && { resetsAt: toIso(resetsAt) }),
          })),
        },
        200,
      );
    })
    .openapi(listGroups, async (c) => {
      const wanted = c.req.valid("query");
      const found = await service.listGroups(requireAuditor(c.get("principal")), omitUndefined(wanted));
      const groups = found.map(({ group, members }) => ({ group, members: [...members] }));
      return c.json({ groups, ...toNextPage(found, wanted.limit, (last) => last.group) }, 200);
    })
    .openapi(listApiKeys, async (c) => {
      const wanted = c.req.valid("query");
      const found = await service.listApiKeys(requireAuditor(c.get("principal")), omitUndefined(wanted));
      const keys = found.map(({ scopes, createdAt, expiresAt, revokedAt, lastUsed, ...rest }) => ({
        ...rest,
        ...(scopes && { scopes: [...scopes] }),
        createdAt: toIso(createdAt),
        ...(expiresAt !== undefined && { expiresAt: toIso(expiresAt) }),
        ...(revokedAt !== undefined && { revokedAt: toIso(revokedAt) }),
        ...(lastUsed !== undefined && { lastUsed: toIso(lastUsed) }),
      }));
      return c.json({ keys, ...toNextPage(found, wanted.limit, (last) => last.key) }, 200);
    });
}

function toPrincipalView({
  createdAt,
  disabledAt,
  lastUsed,
  groups,
  channels,
  ...rest
}: PrincipalSummary): z.input<typeof principalSummarySchema> {
  return {
    ...rest,
    ...(channels && { channels: [...channels] }),
    groups: [...groups],
    createdAt: toIso(createdAt),
    ...(disabledAt !== undefined && { disabledAt: toIso(disabledAt) }),
    ...(lastUsed !== undefined && { lastUsed: toIso(lastUsed) }),
  };
}

function toNextPage<T>(found: readonly T[], limit: number, id: (item: T) => string): { next?: string } {
  const last = found.at(-1);
  return found.length === limit && last !== undefined ? { next: id(last) } : {};
}
