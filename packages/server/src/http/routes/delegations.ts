import { createRoute, z } from "@hono/zod-openapi";
import { type Principal, roles } from "@paraph/core";
import type { Delegation } from "../../services/types/call-action-types.ts";
import { type Parts, router } from "../context.ts";
import { Problem } from "../problem.ts";
import { handle, json, needs, problemResponses, sendingProblems, time } from "../schemas/common.ts";
import { iso } from "../views/call-view.ts";

const person = z.string().min(1).max(255);
const delegationId = handle("delegation_01k2m4x7q3");
const delegation = z
  .object({
    delegation: delegationId,
    person: person.openapi({ description: "Who is away." }),
    standIn: person.openapi({ description: "Who answers with their groups meanwhile." }),
    from: time,
    until: time,
    by: z.string(),
    at: time,
  })
  .openapi("Delegation");

const listDelegations = createRoute({
  operationId: "listDelegations",
  method: "get",
  path: "/v1/delegations",
  tags: ["People"],
  summary: "Who stands in for whom",
  description: "For people: their own, as the absent one or the stand-in; administrators see all.",
  security: needs("read", "decide"),
  responses: {
    200: json(
      z.object({ delegations: z.array(delegation) }),
      "Those in force or still to come, the soonest to end first.",
    ),
    ...problemResponses("not-authenticated", "scope-missing", "approver-not-allowed"),
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
  security: needs("decide"),
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              standIn: person,
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
    200: json(delegation, "It is so."),
    ...problemResponses(...sendingProblems, "approver-not-allowed"),
  },
});

const endDelegation = createRoute({
  operationId: "endDelegation",
  method: "delete",
  path: "/v1/delegations/{delegation}",
  tags: ["People"],
  summary: "End it before its time",
  description: "For who is stood in for, and for administrators.",
  security: needs("decide"),
  request: { params: z.object({ delegation: delegationId }) },
  responses: {
    204: { description: "It is over." },
    ...problemResponses(
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

export function delegationRoutes({ service }: Parts) {
  const { handling } = service;
  return router()
    .openapi(listDelegations, async (c) => {
      const reader = onlyPeople(c.get("principal"));
      const found = await handling.delegations(reader);
      return c.json({ delegations: found.filter((one) => concerns(one, reader)).map(view) }, 200);
    })
    .openapi(createDelegation, async (c) => {
      const by = onlyPeople(c.get("principal"));
      const { standIn, from, until } = c.req.valid("json");
      const span = { from: from === undefined ? Date.now() : Date.parse(from), until: Date.parse(until) };
      if (span.until <= span.from || span.until <= Date.now())
        throw new Problem("body-invalid", "`until` has to be later than `from`, and later than now.");
      // [TRUST 21] A stolen key must not leave behind a right that outlives it for long.
      if (span.until > Date.now() + maxAheadMs)
        throw new Problem(
          "body-invalid",
          "`until` can be at most 90 days ahead: name the stand-in again later.",
        );
      const made =
        by.id === standIn ? undefined : await handling.delegate({ person: by.id, standIn, ...span }, by);
      if (!made) throw new Problem("body-invalid", "The stand-in has to be another person of the tenant.");
      return c.json(view(made), 200);
    })
    .openapi(endDelegation, async (c) => {
      const by = onlyPeople(c.get("principal"));
      const id = c.req.valid("param").delegation;
      const found = (await handling.delegations(by)).find((one) => one.id === id);
      // [TRUST 9] Who may not end it is not told that it is there.
      if (!found || !(found.person === by.id || administers(by)))
        throw new Problem("not-found", "There is no such delegation: `GET /v1/delegations` lists yours.");
      await handling.endDelegation(id, by);
      return c.body(null, 204);
    });
}

function onlyPeople(principal: Principal): Principal {
  if (principal.kind === "person") return principal;
  throw new Problem("approver-not-allowed", "Standing in is for people: use a person's key.");
}

function administers({ groups = [] }: Principal): boolean {
  return groups.includes(roles.admins);
}

function concerns({ person, standIn }: Delegation, reader: Principal): boolean {
  return person === reader.id || standIn === reader.id || administers(reader);
}

function view({ id, from, until, at, ...rest }: Delegation) {
  return { delegation: id, ...rest, from: iso(from), until: iso(until), at: iso(at) };
}
