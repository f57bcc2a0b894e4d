import { createRoute, z } from "@hono/zod-openapi";
import { type Principal, roles } from "@paraph/core";
import type { DelegationRecord } from "../../services/call-actions.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { HttpProblem } from "../problem.ts";
import {
  bodyProblems,
  principalIdSchema,
  requireAnyScope,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { delegationSchema } from "../schemas/people.ts";
import { toIso } from "../views/call-view.ts";

const delegationIdSchema = delegationSchema.shape.delegation;

const listDelegations = createRoute({
  operationId: "listDelegations",
  method: "get",
  path: "/v1/delegations",
  tags: ["People"],
  summary: "List delegations",
  description:
    "For people. You see the delegations in which you are the absent person or the delegate. Administrators see all.",
  security: requireAnyScope("read", "decide"),
  responses: {
    200: toJsonResponse(
      z.object({ delegations: z.array(delegationSchema) }),
      "The current and future delegations, by end.",
    ),
    ...toProblemResponses("not-authenticated", "scope-missing", "approver-not-allowed"),
  },
});

const createDelegation = createRoute({
  operationId: "createDelegation",
  method: "post",
  path: "/v1/delegations",
  tags: ["People"],
  summary: "Name a delegate",
  description:
    "Until the end, the delegate's approvals also count in your groups. The end can be at most 90 days ahead. You can only name your own delegate. For a person who is already absent, an administrator changes the group (`admin.group_change`).",
  security: requireAnyScope("decide"),
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              delegate: principalIdSchema,
              from: z.iso.datetime().optional().openapi({ description: "Start (default: now)." }),
              until: z.iso.datetime(),
            })
            .openapi("NewDelegation", {
              example: { delegate: "bo", until: "2026-03-08T09:00:00.000Z" },
            }),
        },
      },
    },
  },
  responses: {
    200: toJsonResponse(delegationSchema, "The delegation."),
    ...toProblemResponses(...bodyProblems, "approver-not-allowed"),
  },
});

const endDelegation = createRoute({
  operationId: "endDelegation",
  method: "delete",
  path: "/v1/delegations/{delegation}",
  tags: ["People"],
  summary: "End a delegation early",
  description: "For the absent person and for administrators.",
  security: requireAnyScope("decide"),
  request: { params: z.object({ delegation: delegationIdSchema }) },
  responses: {
    204: { description: "The delegation has ended." },
    ...toProblemResponses(
      "not-authenticated",
      "origin-not-allowed",
      "scope-missing",
      "approver-not-allowed",
      "not-found",
    ),
  },
});

export const delegationOperations = [listDelegations, createDelegation, endDelegation];

const maxAheadMs = 90 * 24 * 3_600_000;

export function createDelegationRoutes({ service }: RouteDeps) {
  const { actions } = service;
  return createRouter()
    .openapi(listDelegations, async (c) => {
      const reader = requirePerson(c.get("principal"));
      const found = await actions.listDelegations(reader);
      return c.json(
        { delegations: found.filter((one) => isVisibleDelegation(one, reader)).map(toDelegationView) },
        200,
      );
    })
    .openapi(createDelegation, async (c) => {
      const by = requirePerson(c.get("principal"));
      const { delegate, from, until } = c.req.valid("json");
      const span = { from: from === undefined ? Date.now() : Date.parse(from), until: Date.parse(until) };
      if (span.until <= span.from || span.until <= Date.now())
        throw new HttpProblem("body-invalid", "`until` must be later than `from` and later than now.");
      // [TRUST 21] Limits how far in the future a delegation may end. Otherwise a stolen key could create a delegation
      // that long outlives the key.
      if (span.until > Date.now() + maxAheadMs)
        throw new HttpProblem(
          "body-invalid",
          "`until` can be at most 90 days ahead. Renew the delegation later.",
        );
      const made =
        by.id === delegate
          ? undefined
          : await actions.createDelegation({ person: by.id, delegate, ...span }, by);
      if (!made) throw new HttpProblem("body-invalid", "The delegate must be another person of the tenant.");
      return c.json(toDelegationView(made), 200);
    })
    .openapi(endDelegation, async (c) => {
      const by = requirePerson(c.get("principal"));
      const id = c.req.valid("param").delegation;
      const found = (await actions.listDelegations(by)).find((one) => one.id === id);
      // [TRUST 9] A delegation that the principal may not end gets the same response as one that does not exist.
      if (!found || !(found.person === by.id || isAdministrator(by)))
        throw new HttpProblem("not-found", "There is no such delegation. `GET /v1/delegations` lists yours.");
      await actions.endDelegation(id, by);
      return c.body(null, 204);
    });
}

function requirePerson(principal: Principal): Principal {
  if (principal.kind === "person") return principal;
  throw new HttpProblem("approver-not-allowed", "Only people can use delegations. Use a person's key.");
}

function isAdministrator({ groups = [] }: Principal): boolean {
  return groups.includes(roles.admins);
}

function isVisibleDelegation({ person, delegate }: DelegationRecord, reader: Principal): boolean {
  return person === reader.id || delegate === reader.id || isAdministrator(reader);
}

function toDelegationView({ id, from, until, at, ...rest }: DelegationRecord) {
  return { delegation: id, ...rest, from: toIso(from), until: toIso(until), at: toIso(at) };
}
