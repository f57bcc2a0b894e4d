import { createRoute, z } from "@hono/zod-openapi";
import { type Principal, roles } from "@paraph/core";
import type { DelegationRecord } from "../../services/call-actions.ts";
import { createRouter, type RouteDeps } from "../context.ts";
import { HttpProblem } from "../problem.ts";
import {
  bodyProblems,
  createIdSchema,
  requireAnyScope,
  timeSchema,
  toJsonResponse,
  toProblemResponses,
} from "../schemas/common.ts";
import { toIso } from "../views/call-view.ts";

const personIdSchema = z.string().min(1).max(255);
const delegationIdSchema = createIdSchema("delegation_01k2m4x7q3");
const delegationSchema = z
  .object({
    delegation: delegationIdSchema,
    person: personIdSchema.openapi({ description: "Who is away." }),
    standIn: personIdSchema.openapi({ description: "Who answers with their groups meanwhile." }),
    from: timeSchema,
    until: timeSchema,
    by: z.string(),
    at: timeSchema,
  })
  .openapi("Delegation");

const listDelegations = createRoute({
  operationId: "listDelegations",
  method: "get",
  path: "/v1/delegations",
  tags: ["People"],
  summary: "Who stands in for whom",
  description: "For people: their own, as the absent one or the stand-in; administrators see all.",
  security: requireAnyScope("read", "decide"),
  responses: {
    200: toJsonResponse(
      z.object({ delegations: z.array(delegationSchema) }),
      "Those in force or still to come, the soonest to end first.",
    ),
    ...toProblemResponses("not-authenticated", "scope-missing", "approver-not-allowed"),
  },
});

const createDelegation = createRoute({
  operationId: "createDelegation",
  method: "post",
  path: "/v1/delegations",
  tags: ["People"],
  summary: "Name who stands in for you",
  description:
    "Until then the stand-in's approvals count in your groups as well, at most 90 days ahead. Each person names their own: for somebody who is away already, an administrator changes the group (`admin.group_change`).",
  security: requireAnyScope("decide"),
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              standIn: personIdSchema,
              from: z.iso.datetime().optional().openapi({ description: "Now, unless said." }),
              until: z.iso.datetime(),
            })
            .openapi("NewDelegation", {
              example: { standIn: "bo", until: "2026-03-08T09:00:00.000Z" },
            }),
        },
      },
    },
  },
  responses: {
    200: toJsonResponse(delegationSchema, "It is so."),
    ...toProblemResponses(...bodyProblems, "approver-not-allowed"),
  },
});

const endDelegation = createRoute({
  operationId: "endDelegation",
  method: "delete",
  path: "/v1/delegations/{delegation}",
  tags: ["People"],
  summary: "End it before its time",
  description: "For who is stood in for, and for administrators.",
  security: requireAnyScope("decide"),
  request: { params: z.object({ delegation: delegationIdSchema }) },
  responses: {
    204: { description: "It is over." },
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
      const { standIn, from, until } = c.req.valid("json");
      const span = { from: from === undefined ? Date.now() : Date.parse(from), until: Date.parse(until) };
      if (span.until <= span.from || span.until <= Date.now())
        throw new HttpProblem("body-invalid", "`until` has to be later than `from`, and later than now.");
      // [TRUST 21] A stolen key must not leave behind a right that outlives it for long.
      if (span.until > Date.now() + maxAheadMs)
        throw new HttpProblem(
          "body-invalid",
          "`until` can be at most 90 days ahead: name the stand-in again later.",
        );
      const made =
        by.id === standIn
          ? undefined
          : await actions.createDelegation({ person: by.id, standIn, ...span }, by);
      if (!made)
        throw new HttpProblem("body-invalid", "The stand-in has to be another person of the tenant.");
      return c.json(toDelegationView(made), 200);
    })
    .openapi(endDelegation, async (c) => {
      const by = requirePerson(c.get("principal"));
      const id = c.req.valid("param").delegation;
      const found = (await actions.listDelegations(by)).find((one) => one.id === id);
      // [TRUST 9] A delegation that the principal may not end gets the same response as one that does not exist.
      if (!found || !(found.person === by.id || isAdministrator(by)))
        throw new HttpProblem("not-found", "There is no such delegation: `GET /v1/delegations` lists yours.");
      await actions.endDelegation(id, by);
      return c.body(null, 204);
    });
}

function requirePerson(principal: Principal): Principal {
  if (principal.kind === "person") return principal;
  throw new HttpProblem("approver-not-allowed", "Standing in is for people: use a person's key.");
}

function isAdministrator({ groups = [] }: Principal): boolean {
  return groups.includes(roles.admins);
}

function isVisibleDelegation({ person, standIn }: DelegationRecord, reader: Principal): boolean {
  return person === reader.id || standIn === reader.id || isAdministrator(reader);
}

function toDelegationView({ id, from, until, at, ...rest }: DelegationRecord) {
  return { delegation: id, ...rest, from: toIso(from), until: toIso(until), at: toIso(at) };
}
